"""Category → model: the table behind the catalogue, by hand for things, by pattern for packages.

Categories follow BEHAVIOR-1K (``bottle_of_hot_sauce``, ``hot_sauce_bottle``, ``half_mango``). A rule names its sources in order of
preference; those of the asset pack are skipped where it is not installed. Alias reasons say what the viewer sees instead.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any, Union


@dataclass(frozen=True)
class FromPack:
    """A model of the asset pack."""

    model: str
    turn_deg: float = 0.0
    solid: bool = True
    hollow: bool = False
    transparent: bool = False
    collider: str = "hull"


@dataclass(frozen=True)
class Made:
    """A procedural model."""

    maker: str
    settings: tuple[tuple[str, Any], ...] = ()


Source = Union[FromPack, Made]  # noqa: UP007 - evaluated on 3.10


@dataclass(frozen=True)
class Rule:
    """How a category is shown."""

    grade: str
    sources: tuple[Source, ...] = ()
    reason: str = ""


def made(maker: str, **settings: Any) -> Made:
    """Shown by a maker with these settings."""
    return Made(maker, tuple(sorted(settings.items())))


def pack(model: str, **how: Any) -> FromPack:
    """Shown by a model of the asset pack."""
    return FromPack(model, **how)


def furniture(model: str) -> FromPack:
    """A pack model one can stand beneath or between: its box is not solid."""
    return FromPack(model, solid=False, collider="box")


def chest(model: str) -> FromPack:
    """A closed piece of furniture or machine."""
    return FromPack(model, hollow=True, collider="box")


def exact(*sources: Source) -> Rule:
    """A category that is shown as what it is."""
    return Rule("exact", sources)


def alias(seen_as: str, *sources: Source) -> Rule:
    """A category that is shown as something that looks like it."""
    return Rule("alias", sources, f"shown as {seen_as}")


def labelled(*sources: Source) -> Rule:
    """A category that is shown as a package that bears its name."""
    return Rule("labelled", sources, "a package that bears its name")


def no(reason: str) -> Rule:
    """A category that cannot be shown, and why."""
    return Rule("none", reason=reason)


# --- things by hand ---------------------------------------------------------------------------------------------------

_FRUIT = (
    "apple orange grapefruit lemon lime kiwi peach nectarine apricot plum mango pear avocado papaya pomegranate cherry_tomato "
    "beefsteak_tomato potato turnip rutabaga watermelon coconut egg butternut_squash gourd eggplant"
)
_BERRIES = "grape cherry olive gooseberry blueberry raspberry blackberry strawberry acorn hazelnut walnut"
_PRODUCE = (
    "banana pineapple pumpkin pattypan_squash bell_pepper cucumber zucchini carrot sweet_corn celery head_cabbage cauliflower "
    "broccoli artichoke mushroom chanterelle garlic bok_choy green_bean sunflower"
)
_BAKED = (
    "baguette croissant donut bagel muffin cupcake chocolate_cake cheesecake carrot_cake pie quiche bap bun hotdog_bun "
    "banana_bread meat_loaf pita pretzel pizza macaron cookie"
)
_DISHES = (
    "club_sandwich sandwich salad taco hotdog_frank sausage drumstick swiss_cheese cheese ice_cream_cone "
    "lollipop candy_cane peppermint_candy sugar_cube ice_cube easter_egg raw_egg hard_boiled_egg"
)
_HALVES = (
    "avocado mango papaya lemon orange grapefruit kiwi apple peach watermelon pumpkin butternut_squash vidalia_onion rutabaga zucchini"
)

RULES: dict[str, Rule] = {
    **{k: exact(made("fruit", kind=k)) for k in _FRUIT.split()},
    **{k: exact(made(k)) for k in _BERRIES.split()},
    **{k: exact(made(k)) for k in _PRODUCE.split()},
    **{k: exact(made(k)) for k in _BAKED.split()},
    **{k: exact(made(k)) for k in _DISHES.split()},
    **{f"half_{k}": exact(made("half_fruit", kind=k)) for k in _HALVES.split()},
    **{f"{k}_ball": exact(made("sports_ball", kind=k)) for k in ("tennis", "soccer", "bowling", "golf", "pool", "ping_pong", "beach")},
    **{k: exact(made("sports_ball", kind=k)) for k in ("baseball", "softball", "basketball", "volleyball")},
    # food beyond the lists
    "half_coconut_fruit": exact(made("half_fruit", kind="coconut_fruit")),
    "coconut_fruit": exact(made("fruit", kind="coconut")),
    "tomato": exact(made("fruit", kind="tomato")),
    "vidalia_onion": alias("an onion", made("fruit", kind="onion")),
    "onion": exact(made("fruit", kind="onion")),
    "white_turnip": alias("a turnip", made("fruit", kind="turnip")),
    "sweet_potato": alias("a potato", made("fruit", kind="potato")),
    "hamburger": exact(pack("hamburger")),
    "hotdog": exact(pack("hot_dog")),
    "french_fries": exact(pack("french_fries")),
    "steak": exact(pack("steak")),
    "roast_chicken": exact(pack("roasted_chicken")),
    "whole_chicken": alias("a roasted chicken", pack("roasted_chicken")),
    "birthday_cake": exact(pack("birthday_cake")),
    "butter": exact(pack("butter")),
    "stick_of_butter": alias("butter on its dish", pack("butter")),
    "loaf_of_bread": exact(made("bread")),
    "bread": exact(made("bread")),
    "half_banana_bread": alias("a cut banana bread", made("banana_bread")),
    "half_meat_loaf": alias("a cut meat loaf", made("meat_loaf")),
    "cheese_tart": alias("a tart", made("cheese_tart")),
    "quail_leg": alias("a drumstick", made("drumstick")),
    "chicken_leg": alias("a drumstick", made("drumstick")),
    "half_turkey_leg": alias("a drumstick", made("drumstick")),
    "turkey_leg": alias("a drumstick", made("drumstick")),
    "scone": alias("a bread roll", made("bun")),
    "moth_ball": no("a plain white ball is not recognisable"),
    "meatball": no("a plain brown ball is not told from a nut or a stone"),
    "cranberry": no("a plain red berry is not told from a cherry or a grape"),
    "whiskey_stone": no("a plain grey cube is not recognisable"),
    "spinach": alias("a bunch of leafy greens", made("spinach")),
    "salmon": alias("a salmon fillet", made("salmon")),
    "pastry": alias("a croissant", made("croissant")),
    "mint": alias("a peppermint sweet", made("peppermint_candy")),
    # drinking and table ware
    "mug": exact(made("mug")),
    "coffee_cup": exact(made("coffee_cup")),
    "teacup": exact(made("teacup")),
    "china": no("names a material, not one thing"),
    "paper_cup": exact(made("paper_cup")),
    "soda_cup": exact(made("soda_cup")),
    "water_glass": exact(made("glass", kind="water")),
    "beer_glass": exact(made("glass", kind="beer")),
    "tumbler": exact(made("glass", kind="tumbler")),
    "wineglass": exact(made("stemware", kind="wine")),
    "cocktail_glass": exact(made("stemware", kind="cocktail")),
    "champagne_glass": exact(made("stemware", kind="champagne")),
    "goblet": exact(made("goblet")),
    "plate": exact(made("plate")),
    "saucer": exact(made("plate", wide=0.15)),
    "platter": alias("a large plate", pack("oval_plate", hollow=True, collider="cylinder"), made("plate", wide=0.34)),
    "bowl": exact(made("bowl")),
    "mixing_bowl": exact(made("mixing_bowl")),
    "tray": exact(made("tray", kind="serving")),
    "outline_tray": alias("a serving tray", made("tray", kind="serving")),
    "baking_sheet": exact(made("tray", kind="baking")),
    "roasting_pan": exact(made("tray", kind="roasting")),
    "cake_stand": exact(made("cake_stand")),
    "teapot": exact(made("teapot")),
    "kettle": exact(pack("kettle_boiler"), made("kettle")),
    "electric_kettle": exact(made("electric_kettle")),
    "pitcher": exact(made("pitcher")),
    "jug": exact(made("jug")),
    "carafe": exact(made("carafe")),
    "cream_pitcher": alias("a small pitcher", pack("creamer", hollow=True)),
    "watering_can": exact(made("watering_can")),
    "vase": exact(made("vase", shape=0, colour="teal")),
    "outline_vase": alias("a vase", made("vase", shape=1, colour="blue")),
    "plant_pot": exact(made("plant_pot")),
    "bucket": exact(made("bucket")),
    "ice_bucket": exact(made("ice_bucket")),
    "stockpot": exact(pack("large_pan"), made("pot", kind="stock")),
    "saucepot": alias("a cooking pot", made("pot", kind="sauce")),
    "dutch_oven": alias("a red cooking pot", made("pot", kind="dutch")),
    "casserole": alias("a cooking pot", made("pot", kind="dutch")),
    "frying_pan": exact(made("pan", kind="frying")),
    "wok": exact(made("pan", kind="wok")),
    "colander": exact(made("colander")),
    "funnel": exact(made("funnel")),
    "ashtray": exact(made("ashtray")),
    "tupperware": exact(made("tupperware")),
    "canister": exact(made("canister")),
    "trophy": exact(made("trophy")),
    "tablefork": exact(pack("fork")),
    "tablespoon": exact(pack("spoon")),
    "teaspoon": alias("a spoon", pack("spoon")),
    "table_knife": exact(pack("knife")),
    "carving_knife": alias("a kitchen knife", pack("kitchen_knife")),
    "knife_block": exact(pack("knife_block")),
    "cutting_board": exact(pack("chopping_board", collider="box")),
    "chopping_board": exact(pack("chopping_board", collider="box")),
    "chopping_block": alias("a chopping board", pack("chopping_board", collider="box")),
    "board": alias("a wooden board", pack("chopping_board", collider="box")),
    "rolling_pin": exact(made("rolling_pin")),
    "grater": exact(made("grater")),
    "whisk": exact(made("whisk")),
    "corkscrew": exact(made("corkscrew")),
    "spatula": exact(pack("kitchen_tool_c")),
    "ladle": exact(pack("kitchen_tool_b")),
    "paper_towel_holder": exact(pack("paper_towel_holder"), made("paper_towel_roll")),
    # glass and laboratory ware: real see-through shells
    "beaker": exact(made("beaker")),
    "erlenmeyer_flask": exact(made("erlenmeyer_flask")),
    "round_bottom_flask": exact(made("round_bottom_flask")),
    "graduated_cylinder": exact(made("graduated_cylinder")),
    "test_tube": exact(made("test_tube")),
    "petri_dish": exact(made("petri_dish")),
    "reagent_bottle": exact(made("reagent_bottle")),
    "specimen_bottle": alias("a small laboratory bottle", made("reagent_bottle")),
    "spirit_lamp": exact(made("spirit_lamp")),
    "hingeless_jar": exact(made("jar", clear=True)),
    "hinged_jar": exact(made("clip_jar")),
    "tank": exact(made("tank")),
    "cloche": exact(made("cloche")),
    "hourglass": exact(made("hourglass")),
    "snow_globe": exact(made("snow_globe")),
    "microscope": exact(made("microscope")),
    "syringe": exact(made("syringe")),
    "digital_thermometer": exact(made("digital_thermometer")),
    "meat_thermometer": exact(made("meat_thermometer")),
    "test_tube_clamp": no("no model yet"),
    # packages whose name is not "X of Y"
    "can": exact(made("can", text="")),
    "salt_shaker": exact(made("table_shaker", letter="S")),
    "pepper_shaker": exact(made("table_shaker", letter="P")),
    "pepper_grinder": exact(made("grinder", text="pepper")),
    "salt_grinder": alias("a wooden mill", made("grinder", text="salt")),
    "shaker": exact(made("shaker", text="")),
    "spray_bottle": exact(made("atomizer", text="")),
    "spray_can": exact(made("spray_can", text="spray paint")),
    "squeeze_bottle": exact(made("squeeze_bottle")),
    "ink_bottle": labelled(made("ink_bottle")),
    "pill_bottle": labelled(made("pill_bottle")),
    "bottle_of_perfume": labelled(made("perfume", text="perfume")),
    "bottle_of_cologne": labelled(made("perfume", text="cologne")),
    "baby_bottle": exact(pack("baby_bottle")),
    "wine_bottle": labelled(made("bottle", text="wine", style="wine", clear=True)),
    "beer_bottle": labelled(made("bottle", text="beer", style="beer")),
    "water_bottle": labelled(made("bottle", text="water", style="soda")),
    "oil_bottle": labelled(made("bottle", text="oil", style="sauce", clear=True)),
    "solvent_bottle": labelled(made("bottle", text="solvent", style="detergent", clear=True)),
    "lubricant_bottle": labelled(made("bottle", text="lubricant", style="detergent", clear=True)),
    "cleansing_bottle": labelled(made("bottle", text="cleansing", style="cosmetic", clear=True)),
    "shampoo_bottle": labelled(made("bottle", text="shampoo", style="cosmetic", clear=True)),
    "marinara_jar": labelled(made("jar", text="marinara", clear=True)),
    "sodium_carbonate_jar": labelled(made("jar", text="sodium carbonate", clear=True)),
    "milk_carton": labelled(pack("milk_carton", collider="box"), made("gable_carton", text="milk")),
    "boxed_ink_cartridge": labelled(made("boxed", text="ink cartridge")),
    "boxed_router": labelled(made("boxed", text="router")),
    "toilet_paper": exact(made("toilet_roll")),
    "box_of_tissues": labelled(made("tissue_box")),
    "tissue_dispenser": alias("a box of tissues", made("tissue_box")),
    "match_box": labelled(made("match_box")),
    "pizza_box": labelled(made("opening_box", kind="pizza")),
    "shoe_box": labelled(made("opening_box", kind="shoe")),
    "tackle_box": labelled(made("opening_box", kind="tackle")),
    "toolbox": labelled(made("opening_box", kind="tool")),
    "toy_box": labelled(made("opening_box", kind="toy")),
    "lunch_box": labelled(made("opening_box", kind="lunch")),
    "first_aid_kit": labelled(made("opening_box", kind="first_aid")),
    "gift_box": exact(made("opening_box", kind="gift")),
    "packing_box": exact(made("flap_box")),
    "carton": exact(made("cardboard_box", open_top=True)),
    "storage_box": exact(made("storage_bin")),
    "wooden_box": exact(made("opening_box", kind="wooden")),
    "jewelry_box": exact(made("opening_box", kind="jewelry")),
    "cooler": exact(made("opening_box", kind="cooler")),
    "cookie_tin": labelled(made("opening_box", kind="tin")),
    "treasure_chest": exact(made("wooden_chest", kind="small")),
    "bread_box": labelled(made("bread_bin")),
    "cookie_jar": labelled(made("cookie_jar")),
    "tea_caddy": labelled(made("round_tin")),
    "wall_cabinet": exact(made("cupboard", kind="wall")),
    "robot": exact(made("home_robot")),
    "wicker_basket": exact(made("basket")),
    "shopping_basket": exact(made("shopping_basket")),
    "hamper": alias("a laundry basket", made("laundry_basket")),
    "laundry_basket": exact(made("laundry_basket")),
    "trash_can": exact(made("step_bin")),
    "recycling_bin": exact(made("recycling_bin")),
    "public_trash_can": exact(pack("park_trashcan", hollow=True, collider="cylinder")),
    # balls, sport, toys, music
    "balloon": exact(made("balloon")),
    "dice": exact(made("dice")),
    "toy_dice": exact(made("dice")),
    "tennis_racket": exact(made("tennis_racket")),
    "ping_pong_paddle": exact(made("ping_pong_paddle")),
    "skateboard": exact(pack("skateboard")),
    "longboard": alias("a skateboard", pack("skateboard")),
    "skateboard_wheel_assembly": alias("a small wheel", made("wheel")),
    "free_weight": alias("a dumbbell", made("dumbbell")),
    "dumbbell": exact(made("dumbbell")),
    "punching_bag": alias("a punching ball on a stand", pack("punching_ball")),
    "dartboard": exact(pack("dartboard")),
    "teddy_bear": exact(pack("teddy_bear")),
    "doll": exact(pack("doll")),
    "toy_train": exact(pack("toy_train")),
    "toy_car": exact(made("toy_car")),
    "toy_figure": alias("a wooden toy figure", pack("wood_toy")),
    "jigsaw_puzzle_piece": exact(made("jigsaw_piece")),
    "chess_set": exact(made("chess_set")),
    "guitar": exact(made("guitar")),
    "violin": exact(made("violin")),
    "violin_case": exact(made("violin_case")),
    "piano": exact(chest("upright_piano")),
    "xylophone": exact(pack("xylophone")),
    "microphone": exact(made("microphone")),
    "globe": exact(made("globe")),
    "christmas_tree": exact(pack("christmas_tree", solid=False)),
    "dvd": exact(made("dvd")),
    # stationery, books
    "book": exact(made("book")),
    "hardback": exact(made("book")),
    "paperback_book": exact(made("book", soft=True, wide=0.125, tall=0.19, thick=0.022)),
    "textbook": labelled(made("book", title="textbook", wide=0.20, tall=0.26, thick=0.04)),
    "comic_book": labelled(made("book", title="comic book", soft=True, thick=0.007, wide=0.17, tall=0.26)),
    "notebook": labelled(made("book", title="notebook", spiral=True, soft=True, thick=0.014)),
    "notepad": labelled(made("book", title="notepad", spiral=True, soft=True, thick=0.012, wide=0.12, tall=0.17)),
    "magazine": labelled(made("book", title="magazine", soft=True, thick=0.006, wide=0.21, tall=0.28)),
    "newspaper": exact(made("newspaper")),
    "pencil": exact(made("pencil")),
    "colored_pencil": exact(made("pencil")),
    "pen": exact(pack("pen")),
    "crayon": exact(made("crayon")),
    "marker": exact(made("marker")),
    "highlighter": exact(pack("text_marker")),
    "pencil_holder": exact(made("pencil_holder")),
    "scissors": exact(pack("scissors")),
    "stapler": exact(pack("stapler")),
    "clipboard": exact(made("clipboard")),
    "sticky_note": exact(made("sticky_note")),
    "glue_stick": labelled(made("glue_stick")),
    "letter_tray": exact(pack("letter_tray")),
    # tools and small household things
    "hammer": exact(pack("hammer"), made("hammer_claw")),
    "screwdriver": exact(pack("screwdriver"), made("screwdriver_tool")),
    "saw": exact(pack("saw")),
    "ripsaw": alias("a saw", pack("saw")),
    "drill": exact(pack("drill")),
    "allen_wrench": exact(made("allen_wrench")),
    "chisel": exact(made("chisel")),
    "tape_measure": exact(pack("tape_measure")),
    "shovel": exact(pack("shovel")),
    "dustpan": exact(pack("dustpan")),
    "broom": exact(pack("broom")),
    "paintbrush": exact(made("paintbrush")),
    "squeegee": exact(made("squeegee")),
    "cellulose_tape": exact(pack("tape_roll")),
    "flashlight": exact(pack("flashlight")),
    "light_bulb": exact(made("light_bulb")),
    "lighter": exact(made("lighter")),
    "match": exact(made("match")),
    "candle": exact(made("candle", kind="pillar")),
    "pillar_candle": exact(made("candle", kind="pillar")),
    "beeswax_candle": exact(made("candle", kind="beeswax")),
    "candle_holder": exact(made("candle_holder")),
    "lock": exact(made("padlock")),
    "key_chain": alias("a bunch of keys", pack("keys")),
    "magnifying_glass": exact(made("magnifying_glass")),
    "umbrella": exact(made("umbrella")),
    "fire_extinguisher": exact(pack("extinguisher")),
    "mousetrap": exact(made("mousetrap")),
    "tobacco_pipe": exact(made("tobacco_pipe")),
    "clothes_hanger": exact(pack("clothes_hanger")),
    "traffic_cone": exact(pack("cone")),
    "straw": exact(made("straw")),
    "steel_wool": exact(made("steel_wool")),
    "sponge": exact(made("sponge_block")),
    "bar_soap": exact(made("soap_bar")),
    "toothbrush": exact(made("toothbrush")),
    "hairbrush": exact(pack("hairbrush")),
    "comb": exact(pack("comb")),
    "razor": exact(made("razor")),
    "tweezers": exact(made("tweezers")),
    "lipstick": exact(made("lipstick")),
    "lip_balm": labelled(made("lip_balm")),
    "soap_dispenser": labelled(made("dispenser", text="soap")),
    "alarm_clock": exact(made("alarm_clock")),
    "wall_clock": exact(made("wall_clock")),
    "watch": exact(pack("watch")),
    "sunglasses": exact(pack("sunglasses")),
    "eyeglasses": exact(pack("glasses")),
    "ring": exact(pack("ring")),
    "ruby": alias("a red gem", made("gem", colour=(0.80, 0.05, 0.15))),
    "crystal": exact(made("crystal")),
    "seashell": exact(made("seashell")),
    "conch": exact(made("conch")),
    "pine_cone": exact(made("pine_cone")),
    "picture_frame": exact(pack("picture_frame")),
    "picture": exact(made("picture", variant=0)),
    "switch": exact(made("switch")),
    "electric_switch": alias("a light switch", made("switch")),
    "electrical_outlet": exact(pack("wall_socket")),
    "radiator": exact(pack("radiator", collider="box"), made("radiator")),
    "air_conditioner": exact(pack("air_conditioner", collider="box"), made("ac")),
    "mirror": exact(made("mirror")),
    # clothes, bags, textiles
    "backpack": exact(pack("backpack")),
    "briefcase": exact(pack("briefcase", collider="box")),
    "suitcase": exact(pack("suitcase", collider="box")),
    "handbag": exact(pack("handbag")),
    "shoulder_bag": alias("a handbag", pack("handbag")),
    "gym_shoe": alias("a pair of gym shoes", pack("sneakers")),
    "high_heel": alias("a pair of high heels", pack("woman_shoes")),
    "loafer": alias("a pair of shoes", pack("moccasin")),
    "sandal": alias("a pair of slippers", pack("slippers")),
    "hiking_boot": exact(made("boot", kind="hiking")),
    "rubber_boot": exact(made("boot", kind="rubber")),
    "cap": exact(pack("cap")),
    "hat": exact(pack("hat")),
    "work_helmet": exact(made("work_helmet")),
    "helmet": exact(pack("helmet")),
    "pillow": exact(made("pillow")),
    "bath_towel": alias("a folded towel", pack("towel_folded", collider="box"), made("cloth_folded")),
    # sheets that lie over what stands below them (`entities.cloth`)
    **{
        k: exact(made("cloth", kind=k))
        for k in ["cloth", "napkin", "dishtowel", "rag", "hand_towel", "paper_towel", "tablecloth", "blanket", "handkerchief"]
    },
    "dinner_napkin": exact(made("cloth", kind="napkin")),
    "microfiber_cloth": exact(made("cloth", kind="microfiber")),
    "towel": exact(made("cloth", kind="hand_towel")),
    "tea_towel": exact(made("cloth", kind="dishtowel")),
    "ramp": exact(made("ramp")),
    "inclined_plane": exact(made("ramp")),
    "slope": exact(made("ramp")),
    "sleeping_bag": exact(made("sleeping_bag")),
    "jeans": exact(made("jeans")),
    "sock": exact(made("sock")),
    "necktie": exact(made("necktie")),
    "tote": exact(made("tote")),
    "rubber_glove": exact(made("rubber_glove")),
    "baseball_glove": exact(made("baseball_glove")),
    "boxing_gloves": exact(made("boxing_gloves")),
    "goggles": exact(made("goggles")),
    "bracelet": exact(made("bracelet")),
    "trumpet": exact(made("trumpet")),
    "trombone": exact(made("trombone")),
    "saxophone": exact(made("saxophone")),
    "denture": exact(made("denture")),
    "measuring_cup": exact(made("measuring_cup")),
    "duck": alias("a rubber duck", made("duck")),
    "stake": exact(made("stake")),
    "deodorant_stick": labelled(made("deodorant_stick")),
    "pencil_case": labelled(made("pencil_case")),
    "drink_dispenser": exact(made("drink_dispenser")),
    "iron": exact(made("iron")),
    "pocketknife": exact(made("pocketknife")),
    "walker": exact(made("walker")),
    "dart": exact(made("dart")),
    "leaf": exact(made("green_leaf")),
    "letter": alias("an addressed envelope", made("envelope")),
    "envelope": exact(made("envelope")),
    "cotton_ball": exact(made("cotton_ball")),
    "hook": exact(made("hook")),
    "desk_organizer": exact(made("desk_organizer")),
    "garden_light": exact(made("garden_light")),
    "statue": exact(made("statue")),
    "magazine_rack": exact(made("magazine_rack")),
    "coffee_grinder": exact(made("coffee_grinder")),
    "set_triangle": exact(made("set_triangle")),
    # plants and stones
    "cactus": exact(pack("cactus")),
    "pot_plant": exact(pack("little_plant"), made("potted_plant", high=0.4)),
    "succulent": exact(pack("succulent")),
    "agave": alias("a succulent in a pot", pack("little_plant")),
    "bush": exact(pack("hedge")),
    "flower": exact(made("flower", kind="daisy")),
    "poinsettia": exact(made("potted", kind="poinsettia")),
    "pottable_daffodil": exact(made("potted", kind="daffodil")),
    "boulder": exact(pack("rock")),
    "rock": exact(pack("rock")),
    "pebble": alias("a small stone", pack("rock_flat")),
    "log": exact(made("log")),
    # machines
    "microwave": exact(made("microwave_oven")),
    "toaster": exact(pack("toaster")),
    "coffee_maker": exact(pack("coffee_maker")),
    "blender": exact(pack("blender")),
    "deep_fryer": exact(pack("deep_fryer")),
    "crock_pot": alias("an electric cooker", pack("cooker_pot")),
    "instant_pot": alias("an electric cooker", pack("cooker_pot")),
    "electric_mixer": exact(pack("mixer")),
    "electric_hand_mixer": exact(made("electric_hand_mixer")),
    "toaster_oven": exact(pack("small_oven")),
    "juicer": alias("a citrus press", pack("squeezer")),
    "kitchen_analog_scale": exact(pack("kitchen_scale")),
    "digital_scale": exact(pack("electronic_scale")),
    "fridge": exact(made("refrigerator")),
    "freezer": alias("a chest freezer", chest("chest_freezer")),
    "oven": exact(made("kitchen_oven")),
    "dishwasher": exact(made("dish_machine")),
    "washer": exact(chest("washer"), made("washer")),
    "clothes_dryer": exact(chest("dryer")),
    "laptop": exact(pack("laptop")),
    "monitor": exact(made("monitor")),
    "television": exact(pack("tv")),
    "wall_mounted_tv": exact(pack("tv_wall")),
    "keyboard": exact(made("computer_keyboard")),
    "mouse": exact(made("computer_mouse")),
    "webcam": exact(made("webcam")),
    "digital_camera": exact(made("digital_camera")),
    "printer": exact(pack("printer", collider="box")),
    "multifunction_printer": alias("a printer", pack("printer", collider="box")),
    "projector": exact(pack("projector", collider="box")),
    "desk_phone": exact(pack("desk_phone")),
    "cellphone": exact(pack("mobile_phone")),
    "handset": alias("a cordless telephone", pack("wireless_phone")),
    "tablet": exact(pack("tablet")),
    "loudspeaker": exact(made("speaker")),
    "sound_system": alias("a compact stereo", pack("mini_stereo")),
    "modem": alias("a network router", made("router")),
    "router": exact(made("router")),
    "remote_control": exact(pack("remote_control")),
    "electric_fan": exact(pack("table_fan"), made("fan")),
    "table_lamp": exact(made("lit_lamp", kind="table")),
    "desk_lamp": exact(made("lit_lamp", kind="desk")),
    "floor_lamp": exact(made("lit_lamp", kind="floor")),
    "lantern": exact(made("lit_lamp", kind="lantern")),
    "water_dispenser": exact(chest("water_cooler")),
    "stroller": exact(furniture("stroller")),
    "wheelchair": exact(furniture("wheelchair")),
    "wheelbarrow": exact(furniture("wheelbarrow")),
    "treadmill": exact(furniture("treadmill")),
    "aquarium": exact(pack("aquarium", hollow=True, transparent=True)),
    # furniture
    "coffee_table": exact(furniture("coffee_table_glass"), made("table", kind="coffee")),
    "garden_coffee_table": alias("a low table", furniture("table_low"), made("table", kind="coffee")),
    "breakfast_table": alias("a dining table", furniture("table_rect"), made("table", kind="dining")),
    "dining_table": exact(furniture("table_rect"), made("table", kind="dining")),
    "conference_table": alias("a long table", furniture("table_long"), made("table", kind="conference")),
    "pedestal_table": exact(furniture("oak_table")),
    "console_table": exact(made("table", kind="console")),
    "side_table": exact(made("table", kind="side")),
    "desk": exact(furniture("desk_table"), made("table", kind="desk")),
    "pool_table": exact(chest("pool_table")),
    "lab_table": exact(made("table", kind="lab")),
    "lab_bench": exact(made("table", kind="lab")),
    "swivel_chair": exact(furniture("swivel_chair"), made("swivel_chair")),
    "straight_chair": exact(furniture("chair_plain"), made("chair")),
    "dining_chair": exact(furniture("oak_chair"), made("chair")),
    "folding_chair": exact(furniture("folding_chair_director")),
    "armchair": exact(chest("armchair_wing"), made("sofa", seats=1)),
    "eames_chair": alias("a moulded plastic chair", furniture("plastic_chair")),
    "rocking_chair": no("no model yet"),
    "bar_stool": exact(furniture("stool_bar"), made("seat", kind="stool")),
    "stool": exact(furniture("stool_low"), made("seat", kind="stool")),
    "taboret": alias("a stool", made("seat", kind="stool")),
    "music_stool": alias("a piano stool", furniture("piano_bench"), made("seat", kind="music")),
    "ottoman": exact(made("seat", kind="ottoman")),
    "footstool": exact(made("seat", kind="footstool")),
    "bench": exact(furniture("garden_bench"), made("seat", kind="bench")),
    "sofa": exact(chest("sofa_plain"), made("sofa", seats=3)),
    "bed": exact(chest("bed"), made("bed")),
    "crib": exact(furniture("crib")),
    "bookcase": exact(furniture("bookcase_full"), made("cabinet", kind="shelf")),
    "shelf": exact(furniture("shelves"), made("cabinet", kind="low")),
    "bottom_cabinet": alias("a cabinet", made("drawers", kind="dresser")),
    "bottom_cabinet_no_top": alias("a cabinet", made("cupboard", kind="cabinet")),
    "cabinet": exact(made("cupboard", kind="cabinet")),
    "wardrobe": exact(made("cupboard", kind="wardrobe")),
    "dresser": exact(made("drawers", kind="dresser")),
    "nightstand": exact(made("drawers", kind="nightstand")),
    "filing_cabinet": exact(made("drawers", kind="filing")),
    "locker": exact(made("cupboard", kind="locker")),
    "safe": exact(made("strongbox")),
    "cedar_chest": alias("a wooden chest", made("wooden_chest", kind="cedar")),
    "reception_desk": alias("a counter", made("cabinet", kind="counter")),
    "easel": exact(made("easel")),
    "coatrack": exact(made("coatrack")),
    "step_ladder": exact(furniture("step_ladder")),
    "toilet": exact(pack("toilet_classic"), made("toilet")),
    "urinal": exact(pack("urinal")),
    "bathtub": exact(pack("bath", solid=False, hollow=True), made("bathtub")),
    "shower_stall": exact(pack("shower_stall", solid=False, hollow=True, transparent=True)),
    "sink": exact(pack("washbasin"), made("sink")),
    "pedestal_sink": exact(pack("washbasin"), made("sink")),
    "rug": exact(pack("doormat", collider="box"), made("rug")),
    "mat": alias("a doormat", pack("doormat", collider="box")),
    "fireplace": exact(chest("fireplace")),
    "whiteboard": exact(furniture("whiteboard"), made("whiteboard")),
    # room furniture that no task names
    "tv_stand": exact(chest("tv_stand"), made("cabinet", kind="tv")),
    "sideboard": exact(made("cabinet", kind="sideboard")),
    "china_cabinet": exact(made("cupboard", kind="display")),
    "kitchen_cabinet": exact(chest("lower_cabinet_wide"), made("cabinet", kind="counter")),
    "washbasin": exact(pack("washbasin"), made("sink")),
    "towel_rack": exact(pack("towel_rack")),
    "house_plant": exact(made("potted_plant", high=0.95)),
    "store_shelf": exact(made("store_shelf")),
    "counter": exact(made("cabinet", kind="counter")),
    "workbench": exact(furniture("workbench"), made("table", kind="lab")),
    # furniture for things to stand on, the same with and without the pack (`data/generators/surfaces.py`)
    "wooden_table": exact(made("table", kind="dining")),
    "low_table": exact(made("table", kind="coffee")),
    "open_shelf": exact(made("open_shelf")),
    "plain_bed": exact(made("plain_bed")),
}

PACKED = "a package of it that bears its name"
"""Reason of what is shown as the package in which it is sold, and not as itself."""


def packed(shape: str, text: str) -> Rule:
    """A thing shown as the package in which it is sold."""
    return Rule("labelled", (made(shape, text=text),), PACKED)


RULES |= {
    # food and kitchen
    "cold_cuts": alias("a rolled slice of ham", made("rolled_slice")),
    "lobster": exact(made("lobster")),
    "kabob": exact(made("kabob")),
    "half_candied_yam": alias("half a sweet potato", made("half_fruit", kind="sweet_potato")),
    "half_sweet_potato": exact(made("half_fruit", kind="sweet_potato")),
    "pottable_chili": alias("a chili plant in a pot", made("chili_plant")),
    "half_bok_choy": alias("a bunch of bok choy", made("bok_choy")),
    "half_scone": alias("a bread roll", made("bun")),
    "half_croissant": alias("a croissant", made("croissant")),
    "half_bagel": alias("a bagel", made("bagel")),
    "half_muffin": alias("a muffin", made("muffin")),
    "half_hamburger": alias("a hamburger", pack("hamburger")),
    "half_head_cabbage": alias("a head of cabbage", made("head_cabbage")),
    "half_taco": alias("a taco", made("taco")),
    "half_sweet_corn": alias("a corn cob", made("sweet_corn")),
    "half_celery": alias("a bunch of celery", made("celery")),
    "half_chanterelle": alias("a chanterelle", made("chanterelle")),
    "half_pineapple": alias("a pineapple", made("pineapple")),
    "portafilter": exact(made("portafilter")),
    "vegetable_peeler": exact(made("peeler")),
    "parer": alias("a vegetable peeler", made("peeler")),
    "paper_liners": alias("paper cups for muffins", made("muffin_cups")),
    "cupcake_liners": exact(made("muffin_cups")),
    "steamer_basket": exact(made("steamer")),
    "drip_pot": alias("a kettle", pack("kettle_boiler"), made("kettle")),
    "espresso_machine": alias("a coffee machine", pack("coffee_maker")),
    "salad_bowl": alias("a bowl", made("bowl")),
    "shot_glass": alias("a small glass", made("glass", kind="tumbler")),
    "tall_shot_glass": alias("a small glass", made("glass", kind="tumbler")),
    "place_mat": exact(made("place_mat")),
    "centerpiece": alias("flowers around a candle in a bowl", made("centerpiece")),
    "snack_rack": alias("a shelf of a shop", made("store_shelf")),
    "grocery_shelf": alias("a shelf of a shop", made("store_shelf")),
    "tabletop_sink": alias("a washbasin", pack("washbasin"), made("sink")),
    "multi_station_tabletop_sink": alias("a washbasin", pack("washbasin"), made("sink")),
    "commercial_kitchen_table": alias("a long table", made("table", kind="lab")),
    # wardrobe, desk, wall
    "goalkeeper_gloves": alias("a pair of gloves", made("glove_pair")),
    "baby_shoe": alias("a pair of small shoes", pack("sneakers")),
    "vest": alias("a waistcoat", made("vest")),
    "tassel": exact(made("tassel")),
    "bandana": alias("a folded cloth", made("cloth_folded")),
    "headset": exact(made("headset")),
    "portable_game_console": exact(made("handheld_console")),
    "cellulose_tape_dispenser": exact(made("tape_dispenser")),
    "cotton_thread": exact(made("thread_spool")),
    "receipt": exact(made("receipt")),
    "architectural_plan": exact(made("blueprint")),
    "wrapping_paper": exact(made("wrapping_roll")),
    "pearl": alias("a pearl in its shell", made("shell_with_pearl")),
    "aluminum_foil": packed("carton", "aluminum foil"),
    "jade_roller": alias("a face roller", made("jade_roller")),
    "antlers": exact(made("antlers")),
    "nativity_figurine": alias("a figurine", made("statue")),
    "plant_pot_stand": alias("a small round stand", made("plant_stand")),
    "pet_bed": exact(made("pet_bed")),
    "fire_alarm": exact(made("fire_alarm")),
    "wall_mounted_light": alias("a wall lamp", made("wall_light")),
    "room_ventilator": alias("a ventilation grille", made("vent_grille")),
    "valentine_wreath": alias("a wreath of red flowers", made("wreath", kind="heart")),
    "wreath": exact(made("wreath", kind="green")),
    "dehumidifier": labelled(made("named_machine", text="dehumidifier")),
    # sold in packages, and shown so
    "mozzarella": packed("pack", "mozzarella"),
    "bleu": packed("pack", "bleu"),
    "chicken_breast": packed("pack", "chicken breast"),
    "quail_breast_raw": packed("pack", "quail breast"),
    "pork_chop": packed("pack", "pork chop"),
    "pork_rib": packed("pack", "pork rib"),
    "granola_bar": packed("pack", "granola bar"),
    "basil": packed("pack", "basil"),
    "pizza_dough": packed("bag", "pizza dough"),
    "bagel_dough": packed("bag", "bagel dough"),
    "chopped_lettuce": packed("bag", "chopped lettuce"),
    "marshmallow": packed("bag", "marshmallow"),
    "chip": packed("bag", "chip"),
    "diaper": packed("bag", "diaper"),
    "tiramisu": packed("carton", "tiramisu"),
    "paraffin_wax": packed("carton", "paraffin wax"),
    "bandage": packed("carton", "bandage"),
    "pop_case": packed("carton", "pop"),
    "canned_food": labelled(made("can", text="food")),
}

# --- packages by pattern ----------------------------------------------------------------------------------------------

_OF = {
    "bottle": "bottle",
    "jar": "jar",
    "box": "carton",
    "bag": "bag",
    "pack": "pack",
    "carton": "gable_carton",
    "jug": "jug_of",
    "bucket": "bucket_of",
    "tube": "tube_of",
    "cup": "cup_of",
    "case": "carton",
    "canister": "canister",
    "package": "pack",
}
_SUFFIX = {
    "bottle": "bottle",
    "jar": "jar",
    "box": "carton",
    "carton": "gable_carton",
    "can": "can",
    "tin": "can",
    "shaker": "shaker",
    "atomizer": "atomizer",
    "dispenser": "dispenser",
    "canister": "canister",
    "packet": "pack",
    "tube": "tube_of",
}
_NOT_PACKAGES = frozenset(
    {
        "drink_dispenser",
        "water_dispenser",
        "paper_towel_dispenser",
        "toilet_paper_dispenser",
        "soda_dispenser",
        "cellulose_tape_dispenser",
        "window_box",
        "music_box",
        "litter_box",
        "mail_box",
        "letter_box",
        "jewelry_box",
        "ballot_box",
        "fuse_box",
        "telephone_box",
        "sand_box",
        "bread_box",
        "tool_box",
        "hot_water_bottle",
        "cocktail_shaker",
        "piggy_can",
        "trash_can",
        "garbage_can",
        "watering_can",
        "oil_can",
        "inner_tube",
        "cookie_jar",
        "bell_jar",
        "coffee_table_box",
        "display_box",
        "planter_box",
        "letterbox",
        "voting_box",
        "first_aid_box",
        "toy_shaker",
        "carafe_bottle",
        "perfume_dispenser",
        "vending_machine_can",
    }
)
_FLAT_TINS = ("sardine", "tuna", "cat food", "dog food", "anchov", "spam", "pet food")
_DRINKS = ("soda", "icetea", "iced tea", "beer", "cola", "pop", "energy", "juice", "tonic", "lemonade")


def words(category: str) -> str:
    """Readable words of a category."""
    return category.replace("_", " ").strip()


def _package(shape: str, text: str) -> Made:
    if shape == "can":
        return made("can", text=text, tall=any(text.startswith(w) for w in _DRINKS), flat=any(w in text for w in _FLAT_TINS))
    return made(shape, text=text)


def _pattern(category: str) -> Rule | None:
    """Packages: ``bottle_of_X``, ``X_bottle`` and their kind."""
    if category in _NOT_PACKAGES:
        return None
    match = re.fullmatch(r"([a-z]+)_of_([a-z0-9_]+)", category)
    if match and match[1] == "can":
        return labelled(_package("can", words(match[2])))
    if match and match[1] in _OF:
        return labelled(_package(_OF[match[1]], words(match[2])))
    match = re.fullmatch(r"([a-z0-9_]+)_([a-z]+)", category)
    if match and match[2] in _SUFFIX:
        return labelled(_package(_SUFFIX[match[2]], words(match[1])))
    return None


_REASONS = (
    (r"^half_", "no cut model of this food"),
    (r"(cooked|diced|sliced|chopped|melted|raw)_", "no model of this state of the food"),
    (r"__", "a particle system, not an object"),
)


@functools.lru_cache(maxsize=4096)
def rule(category: str) -> Rule:
    """The rule of a category; grade none with a reason where nothing fits."""
    name = category.strip().lower()
    if name in RULES:
        return RULES[name]
    found = _pattern(name)
    if found is not None:
        return found
    for pattern, reason in _REASONS:
        if re.search(pattern, name):
            return no(reason)
    return no("no model of it, and it is no package that bears its name")


def known() -> list[str]:
    """Every category with a rule of its own."""
    return sorted(RULES)


def pack_models() -> set[str]:
    """The pack models that the vocabulary uses."""
    return {s.model for r in RULES.values() for s in r.sources if isinstance(s, FromPack)}
