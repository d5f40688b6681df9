"""Which models of the furniture libraries go into the asset pack: no people, no vehicles, no brands.

slug → (library, number in its catalogue, most triangles; 0 = the default). Thin models keep more triangles.
"""

from __future__ import annotations

_Z, _B, _K, _S = "BlendSwap-CC-0", "BlendSwap-CC-BY", "KatorLegaz", "Scopia"

_LISTS: dict[str, str] = {
    _Z: """bedside_table 4, bookcase_glass 6, butter 7, scissors 11, comb 12, desk_lamp_dome 15, mixer 19, tv 22, baby_bottle 23, oak_chair
        26 9000, oak_table 27 5000, oven 28, pool_table 33, table_fan 47 5000, teddy_bear 51, milk_carton 53, text_marker 54,
        toilet_classic 57 10000, towel_rack 59, washbasin 62, whiteboard 63, wooden_chest 71, little_plant 77 5000,
        extinguisher 82, slippers 85, locker 98, briefcase 106, cactus 107 5000, handbag 120, radiator 127, shower_stall 131, table_long
        134, wheelbarrow 138, hot_dog 147, piano_bench 159, rock 162, rock_flat 163, stool_bar 168, wood_toy 175""",
    _B: """backpack 2, bath 3, kettle_boiler 8, chopping_board 19, chair_plain 24, fork 25, stool_low 28, blender 32, kitchen_knife 35,
        lower_cabinet_wide 36, knife 42, large_pan 43 8000, microwave 48, mobile_phone 49, upright_piano 50, safe 53, spoon
        55, wardrobe 63, wheelchair 66 8000, chest_of_drawers 75, kitchen_scale 76, tv_stand 82, wireless_phone 84, hamburger 96, laptop
        99, succulent 102 6000, suitcase 103, sunglasses 104, toy_train 106, treadmill 107, xylophone 110, folding_chair_director 112,
        workbench 118 6000, sofa_plain 119, camping_lantern 126, dresser 130""",
    _K: """park_trashcan 18 5000, coffee_maker 27, fridge 29, oval_plate 33, flashlight 37, shelves 55 4000, clothes_hanger 58,
        tape_measure 67, filing_cabinet 74, bookcase_full 80 6000, stapler 90""",
    _S: """bed 3, table_low 10, garden_bench 12 5000, kitchen_tool_b 18, kitchen_tool_c 19, armchair_wing 24, coffee_table_glass 33,
        table_rect 39, swivel_chair 47 6000, desk_lamp 48, pen 49, crib 79 8000, desk_table 82, floor_lamp 87 5000, plastic_chair 90,
        letter_tray 98, hairbrush 104, towel_folded 109, creamer 111, picture_frame 113, glasses 115 4000, desk_phone 120, birthday_cake
        128, christmas_tree 130 10000, washer 131, dryer 132, printer 138, air_conditioner 141, mini_stereo 143, sneakers 147 5000,
        water_cooler 149, woman_shoes 150, broom 153, dartboard 155, dustpan 156, fireplace 165, cardboard_box 174, chest_freezer 175,
        punching_ball 181, squeezer 184, step_ladder 185 4000, stroller 187 8000, aquarium 191 6000,
        doll 197, moccasin 203, roasted_chicken 206, projector 209, tv_wall 210, tablet 215, cap 237, hat 238,
        helmet 239, watch 253, ring 255, saw 257, tape_roll 258, shovel 259, cone 262, drill 263, hammer 264, screwdriver 265, keys 282,
        skateboard 297, urinal 298, remote_control 302, wall_socket 307, small_oven 342, doormat 343, hedge 347 8000, cooker_pot 364,
        deep_fryer 368, electronic_scale 369, french_fries 370, knife_block 377, paper_towel_holder 380, steak 392,
        toaster 395""",
}


def _parse() -> dict[str, tuple[str, int, int]]:
    chosen: dict[str, tuple[str, int, int]] = {}
    for library, text in _LISTS.items():
        for entry in text.split(","):
            words = entry.split()
            chosen[words[0]] = (library, int(words[1]), int(words[2]) if len(words) > 2 else 0)
    return chosen


SELECTION = _parse()

LONGEST_M: dict[str, float] = {
    "cap": 0.27,
    "doll": 0.26,
    "french_fries": 0.14,
    "hat": 0.34,
    "helmet": 0.33,
    "locker": 0.90,
    "milk_carton": 0.235,
    "oval_plate": 0.36,
    "rock_flat": 0.06,
    "sneakers": 0.31,
    "steak": 0.23,
    "suitcase": 0.70,
    "table_low": 1.30,
    "tape_roll": 0.11,
    "towel_folded": 0.34,
}
"""Longest edge of models whose library states a size that such a thing does not have."""

BLANK: dict[str, tuple[tuple[float, float, float, float], ...]] = {
    "electronic_scale": ((0.28, 0.0, 0.72, 0.18),),
    "extinguisher": ((0.0, 0.89, 1.0, 1.0),),
    "mini_stereo_0": ((0.66, 0.06, 0.99, 0.28),),
    "mini_stereo_1": ((0.16, 0.0, 0.40, 0.07),),
    "printer": ((0.05, 0.03, 0.18, 0.18), (0.58, 0.0, 0.74, 0.11), (0.81, 0.32, 0.94, 0.44)),
    "projector": ((0.24, 0.80, 0.42, 0.90),),
    "sneakers": ((0.0, 0.01, 0.8, 0.10), (0.82, 0.30, 0.98, 0.44)),
    "tv_wall": ((0.42, 0.91, 0.62, 1.0),),
}
"""Marks of makers on textures, painted over: model (or model_number of one texture) → boxes (left, top, right, bottom)."""
