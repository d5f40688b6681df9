"""Which models of the furniture libraries go into the asset pack: no people, no vehicles, no brands.

slug → (library, number in its catalogue, most triangles; 0 = the default). Thin models keep more triangles.
"""

from __future__ import annotations

_Z, _B, _K, _S = "BlendSwap-CC-0", "BlendSwap-CC-BY", "KatorLegaz", "Scopia"

_LISTS: dict[str, str] = {
    _Z: """bed_wood 2, bed_checked 3, bed_double 5, bed_large 88, bedside_table 4, bookcase_glass 6, butter 7, rocking_horse 8, coffee_cup_saucer 9,
        scissors 11, comb 12, cosmetics_pot 13, desk_lamp_dome 15, double_oven 16, puzzle 18, mixer 19, tv 22, baby_bottle 23, cooktop 24, oak_chair 26 9000,
        oak_table 27 5000, oven 28, grand_piano 30, chair_blue 31, plastic_cup 32, pool_table 33, radiator_long 34, shelves_square 39, stool_wood 42,
        speaker 43, speaker_tall 44, football_table 46, table_fan 47 5000, teddy_bear 51, milk_carton 53, text_marker 54, toilet_brush 55,
        toilet_paper_dispenser 56, toilet_classic 57 10000, towel_hanging 58, towel_rack 59, parasol 60, shelves_vertical 61, washbasin 62, whiteboard 63, yogurt_bottle 64,
        wardrobe_dark 68, headphones 69, wooden_chest 71, barrel 72, crate 73, cupboard 74, desk_tall 75, electric_guitar 76 5000, little_plant 77 5000,
        basketball 78, umbrella 80 4000, calendar 81, extinguisher 82, slippers 85, baby_bed 87, beer_mug 89, bread 90, playing_cards 91, chair_wood 93, couch_dark 95,
        locker 98, armchair_dark 99, bench_green 103, bidet 104, plastic_crate 105, briefcase 106, cactus 107 5000, orchids 124 8000, dustbin 115, folding_chair 118, handbag 120,
        lamp_round 121, vanity 122, radiator 127, refrigerator 128, shower_stall 131, sofa_light 132, table_long 134, tennis_racket 135 4000, urinal_tall 136, wall_light 137,
        wheelbarrow 138, winchester_armchair 139, winchester_sofa 140, bootie 141, cup_cake 142, drawers_cabinet 144, high_cabinet 146, hot_dog 147, island_extension 148,
        japanese_lantern 149, large_fridge 151, desk_plain 152, lower_cabinet 153, piano_bench 159, range_hood 161, rock 162, rock_flat 163, sink_cabinet 165, stool_bar 168,
        upper_cabinet 172, wood_toy 175, deer 14, decorative_plant 113 8000, plant_large 126 8000, chair_padded 108, chair_office_padded 143, potty 84, number_lock 83""",
    _B: """christmas_tree_small 1 8000, backpack 2, bath 3, bedside_modern 5, beer_bottle 6, desk_grey 7, kettle_boiler 8, open_book 9, bunk_bed 10,
        chopping_board 19, clock_small 20, paper_coffee_cup 21, coffee_table 22, fork 25, gift 26, tall_glass 27, hanging_light 29, blender 32, island 34,
        kitchen_knife 35, lower_cabinet_wide 36, kitchen_sink 37, kitchen_tools 40 5000, knife 42, large_pan 43 8000, lipstick 46, microwave 48, mobile_phone 49, upright_piano 50, radio 52,
        safe 53, desk_wood 54, spoon 55, table_tennis 57, thermometer 59, toilet 60 5000, wardrobe 63, washbasin_round 64, washing_machine 65, wheelchair 66 8000, coat_hanger 67,
        towel_small 68, rubiks_cube 69, soccer_ball 71, bread_box 73, chessboard 74 6000, chest_of_drawers 75, kitchen_scale 76, indoor_plant 78 9000, sofa_grey 80, tv_stand 82,
        utensils_pot 83, wireless_phone 84, bulldog 89, cocktail_glass 90, coffee_press 91, espresso_kettle 93, hamburger 96, camping_lantern 98, lamp_classic 126,
        laptop 99, siamese_cat 100, succulent 102 6000, suitcase 103, sunglasses 104, table_tennis_bat 105, toy_train 106, treadmill 107, tulips 108 10000, lily 109 9000,
        xylophone 110, folding_chair_director 112, workbench 118 6000, sofa_plain 119, bookcase_white 121, couch_light 129, dresser 130, wardrobe_wide 135, salt_shaker 134, chair_dining 128,
        chair_dining_slim 127 5000, desk_large 79, suit 56, snowman 72, stool_low 28, tulips_red 125 10000, table_dining 58, bedroom_bed 77, child_bed 31, child_chair 18, toilet_modern 132,
        surveillance_camera 124, abdominal_bench 86, fork_knife_set 40 5000, chair_plain 24, round_table_small 12, armchair_soft 87""",
    _K: """toilet_paper_holder 2, futon 4, towel_rail 3, park_trashcan 18 5000, residential_trashcan 22, spray_bottle 23, ashtray 24, bowl_handles 25, bullet_trash_can 26, coffee_maker 27,
        coffee_mug 28, fridge 29, glass_small 30, glass_tall 31, oil_servers 32, oval_plate 33, plate 34, place_setting 35, flashlight 37, armchair 47, armchair_ottoman 48, bar_stool 49,
        bench_dark 50, chair_simple 51, folding_table 52, glass_table 53, music_keyboard 54, shelves 55 4000, sofa_corner 56, sofa_soft 57, clothes_hanger 58, recycling_bin 65,
        tape_measure 67, trunk 68, office_chair 72 6000, filing_cabinet 74, bathmat 77, shower_curtain 88, fire_hydrant 79, bookcase_full 80 6000, hanging_clothes 81,
        newspaper 84, oriental_rug 85, wine_bottle_dark 87, stapler 90, concrete_bench 16, park_bench 17, cafe_chair 14 5000, cafe_table 15, pedestal_lamp 42, office_desk 73, window_blind 70,
        iron_railing 63, hanging_clothes_rack 82""",
    _S: """bowl 13, old_jar 14, pottery 15, sushi_tray 16, kitchen_tool_a 17, kitchen_tool_b 18, kitchen_tool_c 19, kitchen_tool_d 20, serving_tray 21, wine_bottle 22, table_black 26,
        chair_cushion 29, chair_lounge 30, chair_rounded 31, coffee_table_glass 33, coffee_table_wood 34, sofa_classic 37, table_square 38, table_rect 39, tv_flat 40, vase_tall 44, vase 42, vase_slim 43,
        vase_large 60, swivel_chair 47 6000, desk_lamp 48, pen 49, towel_rack_bar 51, candle_lantern 53, desk_lamp_arm 54, lamp_red 57, lamp_table 63, lamp_bedside 65, apples_bowl 70, bar_chair 71 5000,
        crib 79 8000, desk_table 82, floor_lamp 87 5000, letter_tray 98, flowers 100 9000, bottle_plain 103, hairbrush 104, sponge 105, bottle_white 106, soap_dispenser 108, towel_folded 109,
        creamer 111, cup_saucer 112, picture_frame 113, picture_frame_b 114, glasses 115 4000, penbox 119, desk_phone 120, sugar_bowl 122, teapot 123, pencil 124, sofa_two 125, high_chair 126 5000,
        camera 127, birthday_cake 128, christmas_tree 130 10000, washer 131, dryer 132, folded_clothes 136, printer 138, air_conditioner 141, mini_stereo 143, ottoman 145, reflex_camera 146,
        sneakers 147 5000, water_cooler 149, woman_shoes 150, projection_screen 151, broom 153, curtain 154 4000, dartboard 155, dustpan 156, ficus 157 9000, wood_logs 160, cat 161, dog 162 4000,
        fireplace 165, cardboard_box 174, chest_freezer 175, clothes_horse 176 6000, coffee_table_b 177, dog_house 178, open_cardboard_box 180, punching_ball 181, shopping_basket 183 6000,
        squeezer 184, step_ladder 185 4000, stroller 187 8000, tricycle 189 5000, wall_hanger 190, aquarium 191 6000, bonsai 192 9000, laundry_basket 194 6000, doll_house 196 5000, doll 197, hospital_bed 200 5000,
        moccasin 203, rabbit 205, roasted_chicken 206, round_carpet 207, projector 209, tv_wall 210, air_mattress 211, ceiling_lamp 213, tablet 215, dress 236, cap 237, hat 238, helmet 239,
        shorts 240, trousers 241, jacket 242, watch 253, wristwatch 254, ring 255, saw 257, tape_roll 258, shovel 259, cone 262, drill 263, hammer 264, screwdriver 265, grinder 266, glove 267,
        keys 282, dressing_table 290, skateboard 297, trestle_table 300, remote_control 302, joystick 303, clothes_rack 335 5000, round_table 338, small_oven 342, doormat 343, pliers 350, fruit_bowl 355,
        salad_bowl 356, candlestick 358, children_chair 359, children_table 360, cooker_pot 364, deep_fryer 368, electronic_scale 369, french_fries 370, knife_block 377, paper_towel_holder 380,
        sandwich_maker 389, spice_tower 391, steak 392, toaster 395, bush 286 9000, hedge 347 8000, futon_mat 371, sleeping_bag 390, table_low 10, garden_bench 12 5000, bookcase_low 27, armchair_plain 23,
        armchair_wing 24, armchair_modern 89, sofa_two_seats 74, sofa_three_seats 75, sofa_burlap 76, sofa_high 86, bed 3, iron_bed 4 6000, wardrobe_scopia 5, shelves_bedroom 83, corner_bathtub 110,
        basin_wall 1, urinal 298, island_bath 374, table_wood 61, wooden_table 94, camping_tent 357, lawn_mower 204 5000, stool_tall 85, table_small 88, coffee_table_c 91, chair_kitchen 92 5000, chair_d 62,
        plastic_chair 90, office_bookcase 45, hammock 373 6000, basketball_net 152 5000, trampoline 188 5000, exercise_bike 167 6000, mannequin_dress 236, stone_grill 393, rattan_armchair 384 6000,
        deck_table 386 5000, bowl_pottery 15, furnace 198, dvd_player 35, stereo_amplifier 148, loudspeaker_base 144, intercom 139, wall_switch 333, wall_socket 307, smoke_detector 299, cctv 287,
        basin_vanity 73, hair_comb 107, letters_box 142, pendant_lamp 58, chandelier 101 6000, table_set 338""",
}


def _parse() -> dict[str, tuple[str, int, int]]:
    chosen: dict[str, tuple[str, int, int]] = {}
    for library, text in _LISTS.items():
        for entry in text.split(","):
            words = entry.split()
            chosen[words[0]] = (library, int(words[1]), int(words[2]) if len(words) > 2 else 0)
    return chosen


SELECTION = _parse()
