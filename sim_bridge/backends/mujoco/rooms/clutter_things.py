"""Which small things lie about where: the tables behind `clutter`, by category of the vocabulary.

Every category has a model of ours, so that none needs the pack of object models (a test says so).
"""

from __future__ import annotations

from sim_bridge.backends.mujoco.meshes.shapes import Colour


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


POOLS: dict[str, tuple[str, ...]] = {
    "dining": _words(
        "bowl plate saucer mug teacup coffee_cup teapot vase goblet wineglass water_glass tumbler champagne_glass "
        "cocktail_glass beer_glass wine_bottle beer_bottle water_bottle pitcher jug carafe candle pillar_candle beeswax_candle "
        "candle_holder salt_shaker pepper_shaker pepper_grinder cake_stand muffin cupcake donut croissant bagel pie pizza "
        "sandwich cheesecake chocolate_cake carrot_cake quiche pretzel macaron salad cheese_tart scone club_sandwich apple "
        "orange pear banana lemon grape pineapple"
    ),
    "coffee": _words(
        "book hardback paperback_book magazine comic_book newspaper notebook candle vase mug teacup bowl dice "
        "hourglass lighter ashtray tobacco_pipe snow_globe tray cookie_jar apple conch box_of_tissues water_glass teapot "
        "cookie_tin flower"
    ),
    "desk": _words(
        "book hardback textbook notebook notepad magazine pencil colored_pencil pencil_holder pencil_case desk_organizer marker "
        "sticky_note glue_stick ink_bottle clipboard envelope mug coffee_cup paper_cup mouse webcam router loudspeaker "
        "digital_camera dvd microphone set_triangle magnifying_glass alarm_clock globe water_bottle boxed_router "
        "boxed_ink_cartridge paintbrush letter box_of_tissues digital_thermometer soda_cup modem crayon"
    ),
    "shelf": _words(
        "book hardback paperback_book textbook vase trophy globe snow_globe hourglass jewelry_box gift_box wooden_box "
        "treasure_chest toy_car candle pillar_candle candle_holder digital_camera loudspeaker plant_pot poinsettia "
        "pottable_daffodil conch seashell crystal duck tea_caddy hingeless_jar hinged_jar cookie_jar cookie_tin shoe_box "
        "first_aid_kit storage_box alarm_clock pitcher teapot trumpet wicker_basket lantern bottle_of_perfume "
        "baseball baseball_glove pencil_holder magazine_rack dvd"
    ),
    "counter": _words(
        "hingeless_jar hinged_jar canister electric_kettle coffee_grinder mixing_bowl colander grater measuring_cup rolling_pin "
        "whisk frying_pan wok casserole dutch_oven saucepot baking_sheet roasting_pan bread_box tupperware lunch_box "
        "soap_dispenser cleansing_bottle sponge squeeze_bottle oil_bottle marinara_jar bread loaf_of_bread baguette cheese "
        "swiss_cheese tomato onion garlic potato carrot cucumber bell_pepper zucchini eggplant celery "
        "head_cabbage mushroom pumpkin sweet_corn bok_choy artichoke butternut_squash avocado lime mango watermelon coconut "
        "pomegranate papaya peach plum kiwi grapefruit egg tea_caddy salt_shaker pepper_grinder funnel electric_hand_mixer "
        "plate bowl mug water_glass meat_loaf quiche pita"
    ),
    "bath": _words(
        "bar_soap shampoo_bottle toothbrush toilet_paper razor lipstick bottle_of_perfume bottle_of_cologne soap_dispenser "
        "deodorant_stick pill_bottle sponge cotton_ball candle box_of_tissues lip_balm tumbler spray_bottle plant_pot"
    ),
    "bed": _words(
        "book paperback_book magazine comic_book newspaper violin tennis_racket jeans sock necktie baseball_glove gift_box "
        "shoe_box toy_car hardback jewelry_box box_of_tissues"
    ),
    "seat": _words("book magazine comic_book newspaper paperback_book gift_box baseball_glove violin"),
    "bedside": _words(
        "alarm_clock book paperback_book water_glass mug pill_bottle box_of_tissues lip_balm candle magazine jewelry_box vase tumbler"
    ),
    "dresser": _words(
        "jewelry_box bottle_of_perfume bottle_of_cologne vase alarm_clock candle pillar_candle lipstick necktie bracelet "
        "wooden_box trophy snow_globe book poinsettia cotton_ball box_of_tissues gift_box"
    ),
    "lab": _words(
        "beaker erlenmeyer_flask round_bottom_flask graduated_cylinder petri_dish test_tube reagent_bottle specimen_bottle "
        "spirit_lamp syringe digital_thermometer funnel tweezers goggles rubber_glove solvent_bottle sodium_carbonate_jar "
        "clipboard notebook marker"
    ),
    "workshop": _words(
        "chisel allen_wrench pocketknife lock hook paintbrush light_bulb spray_can lubricant_bottle oil_bottle tackle_box "
        "toolbox work_helmet lantern spray_bottle steel_wool mousetrap match_box hingeless_jar goggles rubber_glove switch "
        "stake bucket log baseball_glove first_aid_kit dumbbell"
    ),
    "utility": _words(
        "iron spray_bottle cleansing_bottle bucket sponge rubber_glove squeegee light_bulb storage_box watering_can "
        "toilet_paper box_of_tissues lantern spray_can cooler soap_dispenser hinged_jar canister shoe_box packing_box carton "
        "tupperware first_aid_kit"
    ),
    "child": _words(
        "toy_car toy_dice crayon colored_pencil jigsaw_puzzle_piece comic_book soccer_ball treasure_chest easter_egg trumpet "
        "ping_pong_paddle tennis_ball baseball dice pencil_case book duck balloon softball toy_box"
    ),
    "floor_living": _words(
        "wicker_basket magazine_rack plant_pot ottoman footstool violin_case loudspeaker hiking_boot storage_box log gift_box"
    ),
    "floor_bed": _words("hiking_boot sock shoe_box laundry_basket footstool dumbbell storage_box violin_case basketball hamper"),
    "floor_office": _words("recycling_bin carton packing_box magazine_rack plant_pot storage_box loudspeaker safe"),
    "floor_kitchen": _words("recycling_bin shopping_basket pumpkin watermelon wicker_basket cooler bucket storage_box"),
    "floor_bath": _words("laundry_basket bucket hamper footstool storage_box wicker_basket toilet_paper"),
    "floor_hall": _words("hiking_boot rubber_boot umbrella shopping_basket soccer_ball tennis_racket shoe_box watering_can"),
    "floor_child": _words("soccer_ball basketball beach_ball volleyball toy_box toy_car storage_box tennis_ball softball treasure_chest"),
    "floor_work": _words(
        "bucket toolbox packing_box carton log rubber_boot watering_can tackle_box tank dumbbell cooler storage_box lantern"
    ),
    "floor_lab": _words("recycling_bin carton tank packing_box storage_box bucket"),
}
"""Where → what may stand there."""

PLACES: dict[str, tuple[str, ...]] = {
    "table": ("dining",),
    "coffee_table": ("coffee",),
    "console_table": ("shelf", "coffee"),
    "side_table": ("coffee", "bedside"),
    "desk": ("desk",),
    "bookcase": ("shelf",),
    "shelf": ("shelf",),
    "sideboard": ("shelf", "dining"),
    "china_cabinet": ("shelf",),
    "tv_stand": ("shelf",),
    "nightstand": ("bedside",),
    "dresser": ("dresser",),
    "bed": ("bed",),
    "sofa": ("seat",),
    "armchair": ("seat",),
    "bench": ("seat", "bed"),
    "kitchen_run": ("counter",),
    "kitchen_cabinet": ("counter",),
    "counter": ("counter",),
    "island": ("counter", "dining"),
    "dishwasher": ("counter",),
    "washer": ("utility", "bath"),
    "washbasin": ("bath",),
    "cabinet": ("utility", "workshop"),
    "filing_cabinet": ("desk", "shelf"),
    "lab_bench": ("lab",),
    "workbench": ("workshop",),
    "storage_rack": ("utility", "workshop"),
    "toy_box": ("child",),
    "piano": ("coffee", "shelf"),
    "low_table": ("child",),
    "folding_table": ("utility",),
}
"""Furniture → pools of what is put on it, the first the likelier."""

KIND_POOLS: dict[tuple[str, str], tuple[str, ...]] = {
    ("office", "table"): ("desk",),
    ("library", "table"): ("coffee", "desk"),
    ("meeting_room", "table"): ("desk",),
    ("meeting_room", "sideboard"): ("dining", "shelf"),
    ("classroom", "table"): ("desk",),
    ("childs_room", "desk"): ("child", "desk"),
    ("childs_room", "shelf"): ("child", "shelf"),
    ("childs_room", "bed"): ("child",),
    ("bathroom", "shelf"): ("bath",),
    ("kitchen", "shelf"): ("counter",),
    ("lab", "shelf"): ("lab",),
    ("lab", "table"): ("lab",),
    ("lab", "cabinet"): ("lab",),
    ("garage", "cabinet"): ("workshop",),
    ("workshop", "cabinet"): ("workshop",),
    ("workshop", "shelf"): ("workshop",),
    ("utility_room", "shelf"): ("utility",),
    ("storage_room", "shelf"): ("utility", "workshop"),
    ("restaurant", "counter"): ("dining", "counter"),
    ("hall", "counter"): ("desk",),
    ("store", "counter"): ("counter",),
    ("corridor", "bench"): ("floor_hall",),
}
"""(kind of room, furniture) → pools, where they differ from `PLACES`."""

FLOORS: dict[str, tuple[str, ...]] = {
    "living_room": ("floor_living",),
    "dining_room": ("floor_living",),
    "bedroom": ("floor_bed",),
    "office": ("floor_office",),
    "classroom": ("floor_office",),
    "kitchen": ("floor_kitchen",),
    "bathroom": ("floor_bath",),
    "corridor": ("floor_hall",),
    "hall": ("floor_hall",),
    "childs_room": ("floor_child",),
    "garage": ("floor_work",),
    "workshop": ("floor_work",),
    "storage_room": ("floor_work",),
    "utility_room": ("floor_bath", "floor_work"),
    "library": ("floor_living",),
    "meeting_room": ("floor_office",),
    "lab": ("floor_lab",),
    "gym": ("floor_hall",),
    "restaurant": ("floor_kitchen",),
    "store": ("floor_kitchen",),
}
"""Kind of room → pools of what lies on its floor."""

LARGE = frozenset(_words("violin tennis_racket jeans umbrella baguette"))
"""Long things: laid along the support or the wall, never at an angle."""

FAMILIES: tuple[frozenset[str], ...] = tuple(
    frozenset(_words(line))
    for line in (
        "mug coffee_cup teacup paper_cup soda_cup measuring_cup cup tumbler water_glass beer_glass goblet wineglass "
        "champagne_glass cocktail_glass glass",
        "bowl mixing_bowl salad salad_bowl colander",
        "jar hinged_jar hingeless_jar canister cookie_jar tea_caddy marinara_jar sodium_carbonate_jar",
        "vase plant_pot pot pitcher jug carafe",
        "bucket ice_bucket wicker_basket basket shopping_basket laundry_basket hamper trash_can recycling_bin tank",
        "packing_box carton cardboard_box storage_box shoe_box gift_box wooden_box jewelry_box treasure_chest toy_box "
        "cookie_tin tackle_box toolbox lunch_box first_aid_kit pizza_box cooler box_of_tissues bread_box safe tupperware "
        "boxed_router boxed_ink_cartridge match_box cedar_chest tissue_dispenser pencil_case",
        "beaker erlenmeyer_flask round_bottom_flask graduated_cylinder test_tube",
        "book hardback paperback_book textbook notebook notepad comic_book magazine newspaper",
        "candle pillar_candle beeswax_candle candle_holder lantern",
        "frying_pan wok saucepot casserole dutch_oven roasting_pan baking_sheet tray",
        "statue duck snow_globe",
        "seat stool footstool ottoman taboret",
        "dice toy_dice",
        "cupcake half_muffin",
        "electric_kettle drip_pot",
        "rubber_glove goalkeeper_gloves",
        "envelope letter",
        "router modem",
        "table desk counter island low_table lab_bench workbench",
        "cabinet cupboard wardrobe dresser sideboard filing_cabinet china_cabinet",
        "shelf bookcase storage_rack store_shelf",
        "breakfast_table coffee_table conference_table console_table desk garden_coffee_table lab_bench low_table "
        "pedestal_table side_table wooden_table",
        "bottom_cabinet bottom_cabinet_no_top cabinet china_cabinet counter filing_cabinet locker sideboard wall_cabinet",
        "bottom_cabinet_no_top cabinet china_cabinet counter sideboard wall_cabinet wardrobe",
        "agave house_plant poinsettia pot_plant pottable_daffodil succulent",
        "armchair dining_chair eames_chair folding_chair straight_chair swivel_chair",
        "baguette banana_bread bread bun meat_loaf pita",
        "banana_bread birthday_cake carrot_cake cheesecake chocolate_cake meat_loaf",
        "bottom_cabinet cabinet counter dresser sideboard tv_stand",
        "coffee_cup goblet paper_cup soda_cup teacup trophy",
        "desk_lamp floor_lamp garden_light lantern table_lamp",
        "hamper laundry_basket shopping_basket tote wicker_basket",
        "bap bun hotdog_bun scone",
        "bookcase open_shelf shelf store_shelf",
        "can canister cookie_tin tea_caddy",
        "carafe jug outline_vase vase",
        "casserole plant_pot saucepot stockpot",
        "cream_pitcher jug measuring_cup pitcher",
        "frying_pan roasting_pan stockpot wok",
        "blender electric_hand_mixer electric_mixer",
        "bookcase china_cabinet open_shelf",
        "bottom_cabinet_no_top kitchen_cabinet wall_cabinet",
        "briefcase suitcase violin_case",
        "broom hairbrush paintbrush",
        "butternut_squash half_pumpkin pumpkin",
        "carving_knife pocketknife table_knife",
        "cheese_tart pie quiche",
        "coffee_cup cream_pitcher mug",
        "colored_pencil pencil pencil_holder",
        "cucumber half_zucchini zucchini",
        "flower poinsettia pottable_daffodil",
        "grapefruit half_orange orange",
        "half_mango mango papaya",
        "public_trash_can recycling_bin trash_can",
        "aquarium tank",
        "beaker measuring_cup",
        "bell_pepper pepper_shaker",
        "bok_choy spinach",
        "boxing_gloves rubber_glove",
        "canister storage_box",
        "chanterelle mushroom",
        "clothes_dryer washer",
        "coconut half_coconut_fruit",
        "conch seashell",
        "crystal ruby",
        "cupcake muffin",
        "desk_organizer pencil_holder",
        "digital_camera webcam",
        "head_cabbage spinach",
        "highlighter marker",
        "kettle teapot",
        "laptop notebook",
        "marker pen",
        "sponge steel_wool",
    )
)
"""Kinds that somebody might call by one name; beside these, kinds of one maker and kinds whose names end alike (`alike`)."""


COLOURS: tuple[Colour, ...] = (
    (0.62, 0.16, 0.15),
    (0.16, 0.30, 0.50),
    (0.20, 0.42, 0.27),
    (0.82, 0.70, 0.42),
    (0.30, 0.26, 0.25),
    (0.86, 0.85, 0.82),
    (0.78, 0.46, 0.20),
    (0.44, 0.60, 0.66),
)
PAINTED = frozenset(
    _words("book hardback paperback_book textbook mug bowl plate candle storage_box bucket toy_car gift_box balloon tackle_box")
)
"""Kinds that come in many colours."""
