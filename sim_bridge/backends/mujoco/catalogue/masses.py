"""What household things weigh, by hand: typical values from common knowledge (kitchen scales, shops, data sheets), grams.

A name is a model of the asset pack, a procedural maker (``maker`` or ``maker:kind``), or a category where looks are shared by things of
different mass. Masses hold for the natural size of the look; `physical` scales them with the volume. Empty vessels weigh what they are
made of; packages that bear a name are full.
"""

from __future__ import annotations

FRICTION: dict[str, float] = {
    "ceramic": 0.45,
    "glass": 0.40,
    "metal": 0.40,
    "plastic": 0.40,
    "wood": 0.50,
    "paper": 0.50,
    "cloth": 0.70,
    "leather": 0.60,
    "rubber": 0.90,
    "fruit": 0.50,
    "food": 0.60,
    "plant": 0.60,
    "stone": 0.60,
    "wax": 0.50,
    "ice": 0.10,
    "furniture": 0.50,
    "machine": 0.50,
    "fixture": 0.60,
}
"""Sliding coefficient of each surface on wood, dry; handbook ranges (0.1 to 0.2 wide) at their middle."""

_GRAMS: dict[str, str] = {
    "ceramic": """cookie_jar 1300,
        mug 340, coffee_cup 300, teacup 330, bowl 350, plate 550, saucer 220, oval_plate 450, cake_stand 1200, teapot 850,
        jug 1200, creamer 250, vase 700, plant_pot 1800, canister 700, pitcher 1100, outline_vase 650""",
    "glass": """clip_jar 450,
        glass:water 250, glass:beer 420, glass:tumbler 300, stemware:wine 160, stemware:cocktail 180, stemware:champagne 140,
        beaker 150, erlenmeyer_flask 150, round_bottom_flask 140, graduated_cylinder 160, test_tube 25, petri_dish 60,
        reagent_bottle 350, spirit_lamp 260, jar:clear 250, hinged_jar 420, tank 7000, cloche 1500, hourglass 500, snow_globe 600,
        measuring_cup 180, carafe 550, ashtray 450, clear_box 350, aquarium 14000, mirror 12000, perfume 230, light_bulb 45,
        magnifying_glass 120, table_shaker 110, shaker 120, ink_bottle 150, glasses 28""",
    "metal": """portafilter 550, peeler 60, antlers 1800, opening_box:tin 380, round_tin 130, cupboard:locker 25000, strongbox 70000,
        mixing_bowl 450, tray:baking 700, tray:roasting 1300, pot:stock 2200, pot:sauce 1500, pot:dutch 3800, large_pan 2200,
        pan:frying 1400, pan:wok 1900, colander 600, kettle 900, kettle_boiler 900, bucket 1100, ice_bucket 1800, goblet 450,
        trophy 900, fork 45, spoon 50, knife 60, kitchen_knife 180, grater 350, whisk 130, corkscrew 90, candle_holder 900,
        allen_wrench 40, chisel 200, hammer 700, hammer_claw 700, screwdriver 130, saw 450, shovel 1900, padlock 180, keys 60,
        scissors 90, stapler 220, tweezers 15, ring 4, dumbbell 4000, trumpet 1100, trombone 1600, saxophone 2500, can 430,
        spray_can 380, steel_wool 15, hook 70, extinguisher 8500, meat_thermometer 40, alarm_clock 250, dart 22, walker 2500,
        watering_can 700, pocketknife 120, coffee_grinder 1200, towel_rack 900, step_ladder 6500, wheelbarrow 14000, park_trashcan 25000,
        safe 70000, filing_cabinet 22000, locker 25000, garden_light 900, shelves 14000, whiteboard 14000""",
    "plastic": """tape_dispenser 600, fire_alarm 500, vent_grille 700,
        opening_box:lunch 600, opening_box:tool 2500, opening_box:tackle 2500, opening_box:first_aid 1100,
        opening_box:cooler 3200, storage_bin 1300, step_bin 1800,
        baby_bottle 90, tupperware 250, storage_box 1300, trash_can 1800, recycling_bin 900, funnel 80, electric_kettle 1100,
        kitchen_tool_b 110, kitchen_tool_c 100, squeezer 350, comb 20, hairbrush 100, toothbrush 18, razor 20, syringe 15,
        digital_thermometer 15, dvd 16, marker 15, text_marker 15, pen 10, crayon 5, glue_stick 25, lip_balm 12, lipstick 22,
        lighter 20, straw 1, set_triangle 30, letter_tray 350, dustpan 350, squeegee 150, tape_measure 250, tape_roll 120, flashlight 250,
        toy_car 90, toy_train 500,
        helmet 1400, work_helmet 350, goggles 100, sunglasses 30, suitcase 3500, ping_pong_paddle 170, globe 900, denture 40,
        sports_ball:ping_pong 2.7, deodorant_stick 120, pill_bottle 60, dispenser 420, atomizer 520, squeeze_bottle 420, bracelet 30,
        cone 1800, duck 80, punching_ball 9000, remote_control 110, clipboard 300, bottle:clear 180, dartboard 3500, pencil_holder 200,
        doll 250, wheel 90, tennis_racket 300, umbrella 450, drink_dispenser 6000, switch 90, plastic_chair 4500""",
    "wood": """opening_box:wooden 1400, opening_box:jewelry 1100, opening_box:toy 6000, wooden_chest:small 1200, bread_bin 2600,
        chopping_board 1800, rolling_pin 450, pencil 6, match 0.2, match_box 10, grinder 300, guitar 2000, violin 450,
        tray:serving 900, paintbrush 80, mousetrap 25, clothes_hanger 120, picture_frame 350, picture 2500, knife_block 2800, wood_toy 120,
        chess_set 1800, stake 500, log 4800, desk_organizer 800, magazine_rack 2200, skateboard 2600, xylophone 900,
        tobacco_pipe 45, easel 5000, broom 700, basket 700, shopping_basket 700, laundry_basket 1800, wooden_chest 22000,
        ramp 2500""",
    "paper": """opening_box:gift 400, opening_box:shoe 250, opening_box:pizza 900, flap_box 600,
        book 480, paperback_book 280, textbook 1200, comic_book 110, notebook 250, notepad 160, magazine 180, newspaper 250,
        envelope 8, sticky_note 60, toilet_roll 110, paper_towel_holder 600, paper_towel_roll 450, tissue_box 250, paper_cup 12,
        soda_cup 450, gift_box 900, cardboard_box 600, boxed 500, jigsaw_piece 2,
        milk_carton 1900""",
    "cloth": """towel_folded 350, cloth_folded 400, pillow 600, teddy_bear 450, backpack 900, tote 450, jeans 650, sock 35, necktie 60,
        cap 90, hat 120, slippers 300, sleeping_bag 1500, baseball_glove 600, pencil_case 150, doormat 1200, cotton_ball 2,
        cloth:blanket 700, cloth:cloth 60, cloth:napkin 45, cloth:dishtowel 70, cloth:hand_towel 150, cloth:handkerchief 20,
        cloth:microfiber 40, cloth:rag 40, cloth:paper_towel 4, cloth:tablecloth 260, violin_case 2200""",
    "leather": """briefcase 1600, handbag 600, moccasin 800, woman_shoes 500, boot:hiking 650, boxing_gloves 700, watch 60""",
    "rubber": """sports_ball:tennis 58, sports_ball:soccer 430, sports_ball:basketball 620, sports_ball:volleyball 270,
        sports_ball:beach 90, sports_ball:bowling 6300, sports_ball:golf 46, sports_ball:pool 170, sports_ball:baseball 145,
        sports_ball:softball 190, balloon 5, sneakers 800, boot:rubber 900, rubber_glove 60, sponge_block 12, computer_mouse 100""",
    "fruit": """fruit:apple 180, fruit:apricot 45, fruit:avocado 220, fruit:beefsteak_tomato 350, fruit:butternut_squash 1100,
        fruit:cherry_tomato 12, fruit:coconut 680, fruit:egg 60, fruit:eggplant 450, fruit:gourd 600, fruit:grapefruit 400, fruit:kiwi 85,
        fruit:lemon 110, fruit:lime 65, fruit:mango 330, fruit:nectarine 150, fruit:onion 180, fruit:orange 200, fruit:papaya 900,
        fruit:peach 165, fruit:pear 230, fruit:plum 90, fruit:pomegranate 330, fruit:potato 220, fruit:rutabaga 550, fruit:tomato 210,
        fruit:turnip 200, fruit:watermelon 7500, half_fruit:apple 85, half_fruit:avocado 100, half_fruit:butternut_squash 530,
        half_fruit:coconut_fruit 250, half_fruit:grapefruit 190, half_fruit:kiwi 42, half_fruit:lemon 55, half_fruit:mango 170,
        half_fruit:orange 95, half_fruit:papaya 430, half_fruit:peach 80, half_fruit:pumpkin 1500, half_fruit:rutabaga 280,
        half_fruit:vidalia_onion 95, half_fruit:watermelon 3500, half_fruit:zucchini 110, half_fruit:sweet_potato 120,
        banana 150, pineapple 1500, pumpkin 4200,
        pattypan_squash 300, bell_pepper 170, cucumber 300, zucchini 250, carrot 110, sweet_corn 280, celery 450, head_cabbage 1300,
        cauliflower 700, broccoli 350, artichoke 300, mushroom 35, chanterelle 25, garlic 55, bok_choy 400, spinach 250, green_bean 6,
        grape 6, cherry 8, olive 5, gooseberry 3, blueberry 1.5, cranberry 1.5, raspberry 4, blackberry 6, strawberry 22, acorn 6,
        hazelnut 3, walnut 12""",
    "food": """baguette 250, croissant 60, donut 70, bagel 105, muffin 90, cupcake 80, chocolate_cake 1400, cheesecake 1300,
        carrot_cake 1400, birthday_cake 1500, pie 700, quiche 700, cheese_tart 600, bap 60, bun 60, hotdog_bun 55, banana_bread 650,
        meat_loaf 1000, bread 600, pita 80, pretzel 80, pizza 700, macaron 16, cookie 20, club_sandwich 350, sandwich 200, rolled_slice 18,
        lobster 700, kabob 160,
        salad 500, taco 180, meatball 28, hotdog_frank 55, hot_dog 180, sausage 60, drumstick 130, swiss_cheese 350, cheese 350,
        ice_cream_cone 120, lollipop 25, candy_cane 28, peppermint_candy 6, marshmallow 7, sugar_cube 4, easter_egg 60, raw_egg 60,
        hard_boiled_egg 58, hamburger 250, french_fries 150, steak 350, roasted_chicken 1500, butter 350, salmon 200, soap_bar 110""",
    "plant": """little_plant 900, cactus 900, succulent 500, flower 15, sunflower 120, chili_plant 1100, centerpiece 900,
        potted:poinsettia 1200, potted:daffodil 1000,
        potted_plant 7000, hedge 30000, christmas_tree 12000, green_leaf 1, pine_cone 40""",
    "stone": """rock 90000, rock_flat 150, statue 9000, dice 8, crystal 300, gem 14, pearl 2, whiskey_stone 30, seashell 60, conch 700,
        fireplace 120000""",
    "wax": "candle:pillar 550, candle:beeswax 350",
    "ice": "ice_cube 22",
    "furniture": """cupboard:cabinet 30000, cupboard:wardrobe 75000, cupboard:wall 14000, cupboard:display 42000, drawers:dresser 45000,
        drawers:nightstand 14000, drawers:filing 22000, lit_lamp:table 1800, lit_lamp:floor 5500, lit_lamp:desk 1400,
        armchair_wing 25000, stool_bar 5000, bed 60000, garden_bench 35000, bookcase_full 90000, chest_of_drawers 55000,
        lower_cabinet_wide 38000, bookcase_glass 45000, coffee_table_glass 24000, table_long 45000, crib 25000, desk_table 35000,
        oak_chair 6500, dresser 70000, floor_lamp 6000, folding_chair_director 4500, table_low 22000, desk_lamp 1400, piano_bench 11000,
        bedside_table 12000, oak_table 35000, upright_piano 220000, pool_table 280000, sofa_plain 55000, stool_low 1200, chair_plain 5500,
        table_rect 32000, desk_lamp_dome 1800, tv_stand 30000, wardrobe 70000, workbench 45000, swivel_chair 13000, chair 5500,
        cabinet:shelf 32000, cabinet:tv 30000, cabinet:sideboard 48000, cabinet:counter 70000, cabinet:low 18000, coatrack 5500,
        table:dining 32000,
        table:coffee 20000, table:console 16000, table:desk 38000, table:side 8000, table:conference 65000, table:lab 50000,
        seat:ottoman 9000, seat:footstool 3500, seat:stool 3500, seat:bench 11000, seat:music 8000, sofa 55000, sofa:1 24000,
        store_shelf 60000, open_shelf 18000, plain_bed 45000, treadmill 80000, stroller 9500, wheelchair 16000""",
    "machine": """microwave_oven 12000, kitchen_oven 45000, dish_machine 42000, refrigerator 55000, home_robot 32000, lit_lamp:lantern 900,
        blender 3200, coffee_maker 2200, cooker_pot 5000, deep_fryer 6000, desk_phone 800, electronic_scale 500, drill 1500,
        table_fan 2500, fan 2200, mixer 9000, kitchen_scale 1500, camping_lantern 900, laptop 1900, microwave 12000, mobile_phone 110,
        wireless_phone 350, mini_stereo 5500, printer 6500, projector 4500, tablet 480, tv 9000, toaster 1600, small_oven 8500,
        handheld_console 320,
        headset 250, named_machine 12000, electric_hand_mixer 1000, digital_camera 250,
        iron 1300, speaker 5500, router 400, monitor 5000, computer_keyboard 600, webcam 120,
        microphone 300, microscope 4500, wall_clock 700, dryer 40000, washer 65000, dishwasher 42000, fridge 48000, chest_freezer 38000,
        oven 30000, water_cooler 14000""",
    "fixture": """air_conditioner 9000, ac 9000, bath 60000, bathtub 50000, radiator 22000, shower_stall 60000, toilet_classic 35000,
        toilet 35000, washbasin 22000, sink 22000, urinal 15000, wall_socket 80, tv_wall 16000""",
}

PACKAGES: dict[str, tuple[float, str]] = {
    "bottle": (620.0, "plastic"),
    "jar": (720.0, "glass"),
    "can": (800.0, "metal"),
    "carton": (300.0, "paper"),
    "bag": (420.0, "paper"),
    "pack": (380.0, "plastic"),
    "gable_carton": (820.0, "paper"),
    "jug_of": (560.0, "plastic"),
    "bucket_of": (560.0, "plastic"),
    "tube_of": (520.0, "plastic"),
    "cup_of": (520.0, "plastic"),
    "canister": (420.0, "metal"),
}
"""Packages of any content: maker → (kilograms per cubic metre of their box, surface): contents at 200 to 1,100 kg/m³, of which the shape
fills a half to nine tenths."""

RESTITUTION: dict[str, float] = {
    "tennis": 0.73,
    "basketball": 0.75,
    "soccer": 0.65,
    "volleyball": 0.70,
    "beach": 0.60,
    "golf": 0.75,
    "ping_pong": 0.85,
    "pool": 0.50,
    "baseball": 0.50,
    "softball": 0.45,
    "bowling": 0.10,
}
"""Share of the speed that a ball keeps on a hard floor (rebound height from rules and tests, square root)."""

INSTALLED = frozenset(
    [
        "air_conditioner",
        "ac",
        "bath",
        "bathtub",
        "radiator",
        "shower_stall",
        "toilet_classic",
        "toilet",
        "washbasin",
        "sink",
        "urinal",
        "wall_socket",
        "tv_wall",
        "switch",
        "fireplace",
        "hook",
        "towel_rack",
        "mirror",
        "garden_light",
        "hedge",
    ]
)
"""Looks that are fixed to a building or the ground: no hand takes them."""


def _parse() -> dict[str, tuple[float, str]]:
    table: dict[str, tuple[float, str]] = {}
    for surface, text in _GRAMS.items():
        for entry in text.split(","):
            name, grams = entry.split()
            if name in table:
                raise ValueError(f"masses: {name} is listed twice")
            table[name] = (float(grams) / 1000.0, surface)
    return table


MASSES: dict[str, tuple[float, str]] = _parse()
"""Name → (kilograms at natural size, surface)."""
