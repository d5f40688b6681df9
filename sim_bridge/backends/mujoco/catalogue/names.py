"""Other names that people give to things: what counts as right in "name this object" (`norming`), by hand.

A category's own words always count. `SYNONYMS` name the same thing, `BROADER` a kind that it belongs to.
"""

from __future__ import annotations

_SYNONYMS = """
acorn: oak nut
agave: house plant, potted plant, plant, succulent
air_conditioner: ac, aircon, wall unit, heater
alarm_clock: clock, alarm
allen_wrench: allen key, hex key, hex wrench
apricot: peach
aquarium: fish tank, fishbowl, tank
armchair: chair, wing chair, wingback chair, easy chair
ashtray: ash tray
avocado: avocado pear
baby_bottle: baby's bottle, nursing bottle, feeding bottle
backpack: rucksack, knapsack, bag
bagel: bread ring
baguette: french bread, bread, loaf, french loaf
baking_sheet: baking tray, cookie sheet, oven tray, sheet pan
balloon: party balloon
banana_bread: loaf, bread, loaf cake, sliced bread, cake
bap: bread roll, roll, bun
bar_soap: soap, bar of soap
bar_stool: stool
baseball_glove: baseball mitt, mitt, catcher's mitt
bath_towel: towel, folded towel
bathtub: bath, tub
beach_ball: ball
beaker: measuring beaker, measuring cup, lab beaker
beefsteak_tomato: tomato
beer_glass: glass, pint glass, drinking glass
beeswax_candle: candle
bell_pepper: pepper, red pepper, sweet pepper, capsicum
bench: park bench, garden bench
birthday_cake: cake
blackberry: berry
blanket: cloth, throw, tablecloth
blender: mixer, liquidizer
board: chopping board, cutting board, wooden board
bok_choy: pak choi, chinese cabbage, leafy greens
book: hardback, hardcover
bookcase: bookshelf, shelf, shelves
bottom_cabinet: chest of drawers, dresser, drawers, sideboard
bottom_cabinet_no_top: cabinet, kitchen cabinet, cupboard
boulder: rock, stone
bowling_ball: ball
boxing_gloves: gloves
bracelet: beads, bead bracelet, bangle
bread: loaf, loaf of bread, sliced bread
bread_box: bread bin, roll-top bread bin
breakfast_table: table, dining table
briefcase: case, attache case
broom: brush, sweeper
bucket: pail
bun: bread roll, roll, bread
bush: hedge, shrub
butter: butter dish, stick of butter
butternut_squash: squash, pumpkin
cabinet: cupboard, sideboard
cactus: cacti, cactus plant
cake_stand: cake plate
can: tin, tin can
candle: pillar candle
candle_holder: candlestick, candle, candle stick
candy_cane: candy stick
canister: jar, tin, container, storage jar
cap: baseball cap, hat
carafe: decanter, wine decanter, glass vase, vase
carrot_cake: cake, cheesecake
carton: cardboard box, open box, box
carving_knife: knife, kitchen knife, chef's knife
casserole: pot, cooking pot, dutch oven, saucepan
cedar_chest: wooden chest, crate, wooden crate, chest, trunk, box
cellphone: mobile phone, phone, cell phone, mobile
cellulose_tape: tape, sticky tape, roll of tape, packing tape
champagne_glass: champagne flute, flute, glass
chanterelle: mushroom
cheese: swiss cheese, piece of cheese
cheese_tart: tart, pie, quiche
cheesecake: cake
cherry_tomato: tomato
chess_set: chess, chess board, chessboard
chicken_leg: drumstick, chicken drumstick, turkey leg, chicken
china_cabinet: cabinet, display cabinet, glass cabinet, bookcase, cupboard
chisel: wood chisel
chocolate_cake: cake
christmas_tree: xmas tree, tree, fir tree
clipboard: clip board
cloche: glass dome, bell jar, dome, glass cover
cloth: napkin, handkerchief, fabric
clothes_dryer: dryer, washing machine, washer, tumble dryer
clothes_hanger: hanger, coat hanger
club_sandwich: sandwich
coatrack: coat rack, coat stand, coat tree, hat stand
cocktail_glass: martini glass, glass
coconut: coco nut
coffee_cup: cup, mug, cup of coffee, teacup
coffee_grinder: coffee mill, grinder
coffee_maker: coffee machine, coffee pot
coffee_table: table, low table
colander: strainer, sieve
cold_cuts: ham, salami, sliced meat, plate of meat, meat, charcuterie
colored_pencil: pencil
conch: shell, seashell, conch shell
conference_table: table, long table, wooden table
console_table: table, side table
wooden_table: table, dining table, kitchen table
low_table: coffee table, table
open_shelf: shelf, shelves, bookcase, bookshelf, rack
plain_bed: bed, single bed
cookie: biscuit, chocolate chip cookie
cookie_jar: biscuit jar, jar
cookie_tin: biscuit tin, tin, tin box
cooler: cool box, ice box, ice chest, esky
cotton_ball: cotton, cotton wool
counter: sideboard, cabinet, cupboard
crayon: wax crayon
cream_pitcher: jug, small pitcher, milk jug, creamer, pitcher, mug
crib: baby bed, cot, baby crib
crock_pot: rice cooker, electric cooker, slow cooker, cooker
croissant: pastry
crystal: amethyst, gem, gemstone
cupcake: muffin
dartboard: dart board
deep_fryer: fryer
denture: false teeth, teeth, dentures
desk: table
desk_lamp: lamp, reading lamp
desk_organizer: pencil holder, organizer, desk tidy
desk_phone: telephone, phone, landline
dice: die
digital_camera: camera
digital_scale: scale, kitchen scale, scales
digital_thermometer: thermometer
dining_chair: chair, wooden chair
dishwasher: dish washer
doll: baby doll, baby
donut: doughnut
dresser: chest of drawers, drawers, sideboard
drill: power drill, cordless drill, electric drill
drink_dispenser: juice dispenser, beverage dispenser, dispenser
duck: rubber duck, rubber ducky, toy duck
dumbbell: weight, hand weight, barbell
dustpan: dust pan
dvd: cd, disc, compact disc
eames_chair: chair, plastic chair
easel: canvas, canvas on easel
easter_egg: egg, painted egg
eggplant: aubergine
electric_fan: fan, table fan, desk fan
electric_hand_mixer: hand mixer, mixer
electric_kettle: kettle
electric_mixer: mixer, stand mixer
electric_switch: light switch, switch
electrical_outlet: socket, outlet, power outlet, wall socket, plug socket
envelope: letter
erlenmeyer_flask: conical flask, flask
eyeglasses: glasses, spectacles
filing_cabinet: file cabinet, cabinet
fire_extinguisher: extinguisher
fireplace: hearth, fire place
first_aid_kit: first aid box, medical kit
flashlight: torch
floor_lamp: lamp, standing lamp
flower: daisy
folding_chair: chair
footstool: stool, ottoman, foot stool
freezer: chest freezer, fridge, refrigerator
french_fries: fries, chips
fridge: refrigerator
frying_pan: pan, skillet
garden_coffee_table: table, low table, coffee table
garden_light: lantern, street lamp, lamp post, lamp, street light
gift_box: present, gift, wrapped present
globe: world globe
glue_stick: glue
goblet: chalice, cup
goggles: swimming goggles, swim goggles
gooseberry: berry
gourd: squash
graduated_cylinder: measuring cylinder, cylinder
grapefruit: orange
grater: cheese grater
green_bean: bean, string bean
gym_shoe: shoes, sneakers, trainers, pair of gym shoes, running shoes
hairbrush: brush, hair brush
half_apple: apple, cut apple, apple half
half_avocado: avocado, cut avocado
half_coconut_fruit: coconut, half coconut
half_grapefruit: grapefruit, half grapefruit
half_kiwi: kiwi, kiwifruit
half_lemon: lemon, cut lemon
half_mango: mango
half_orange: orange, cut orange
half_papaya: papaya
half_peach: peach
half_pumpkin: pumpkin, cut pumpkin
half_vidalia_onion: onion, half onion
half_watermelon: watermelon
half_zucchini: zucchini, courgette, cucumber
hamburger: burger, cheeseburger
hamper: laundry basket, basket
hand_towel: towel, cloth
handbag: bag, purse
handset: cordless phone, phone, telephone, cordless telephone
hard_boiled_egg: egg, boiled egg
hat: fedora
hazelnut: nut
head_cabbage: cabbage, lettuce
helmet: motorcycle helmet, crash helmet
high_heel: high heels, shoes, heels, pair of high heels
highlighter: marker, text marker
hiking_boot: boot, shoe
hinged_jar: jar, glass jar, preserving jar, mason jar
hingeless_jar: jar, glass jar
hook: wall hook, coat hook
hotdog: hot dog
hotdog_bun: bun, bread roll, hot dog bun
hotdog_frank: sausage, frankfurter, hot dog
hourglass: sand timer, sandglass, egg timer
house_plant: plant, potted plant, houseplant
ice_bucket: bucket of ice, champagne bucket, bucket, wine cooler
ice_cream_cone: ice cream
iron: clothes iron, steam iron
jeans: trousers, pants
jewelry_box: jewellery box, jewel box, trinket box
jigsaw_puzzle_piece: puzzle piece, jigsaw piece, puzzle pieces
jug: pitcher, vase
juicer: lemon squeezer, citrus press, citrus juicer, squeezer
kettle: teapot, tea kettle
key_chain: keys, bunch of keys, key ring
keyboard: computer keyboard
kitchen_analog_scale: scale, kitchen scale, scales, weighing scale
kiwi: kiwifruit, kiwi fruit
knife_block: knives, knife holder, set of knives
lab_bench: table, desk
ladle: spoon, serving spoon
lantern: camping lantern, lamp
laptop: notebook, computer, laptop computer
laundry_basket: basket, hamper, washing basket
leaf: green leaf
letter_tray: paper tray, document tray, file tray
light_bulb: bulb, lightbulb
lighter: cigarette lighter
loafer: shoes, pair of shoes
lock: padlock
locker: cabinet
log: wood, tree trunk, piece of wood
lollipop: lolly, candy
longboard: skateboard
loudspeaker: speaker
lunch_box: lunchbox, cooler, cool box
macaron: macaroon
magazine_rack: magazine holder
magnifying_glass: magnifier, loupe
marker: felt tip, pen, whiteboard marker
mat: doormat, rug, carpet
match: matchstick
measuring_cup: measuring jug, jug
meat_loaf: loaf, meatloaf, cake, bread
meat_thermometer: thermometer, cooking thermometer
microphone: mic
microwave: microwave oven
mint: candy, peppermint, sweet
mixing_bowl: bowl, metal bowl
modem: router, wifi router, network router
monitor: computer monitor, screen, computer screen, display
mouse: computer mouse
mousetrap: mouse trap
muffin: cupcake
multifunction_printer: printer
music_stool: piano stool, piano bench, bench, stool
necktie: tie
nectarine: peach, apple
newspaper: paper
nightstand: bedside table, bedside cabinet, drawers
ottoman: footstool, stool, pouf
outline_tray: tray, serving tray
outline_vase: vase
oven: stove, cooker
packing_box: cardboard box, box, carton
paintbrush: brush, paint brush
papaya: mango
paper_cup: coffee cup, cup, takeaway cup
paper_towel_holder: paper towel, kitchen roll, paper towels, kitchen paper, paper towel roll
paperback_book: book
pattypan_squash: squash
peach: nectarine
pebble: stone, rock
pedestal_sink: sink, washbasin, basin
pedestal_table: table, round table
pencil_case: pencil pouch
pencil_holder: pencils, pencil cup, pen holder
pepper_grinder: pepper mill, grinder
pepper_shaker: pepper pot, pepper, shaker
petri_dish: dish, glass dish
piano: upright piano
picture: painting, framed picture, picture frame, frame
picture_frame: photo frame, frame, picture, photo
ping_pong_ball: table tennis ball, ball
ping_pong_paddle: table tennis bat, table tennis racket, ping pong bat, ping pong racket
pita: flatbread, pancake, tortilla, naan, bread
pitcher: jug, water jug
plant_pot: flower pot, flowerpot, pot
platter: plate, oval plate, large plate
plum: fruit
pocketknife: pocket knife, penknife, swiss army knife, knife
poinsettia: flower, potted plant, plant
pool_ball: billiard ball, ball
pool_table: billiard table, snooker table
pot_plant: plant, potted plant, house plant
pottable_daffodil: daffodil, daffodils, flowers, potted plant
public_trash_can: trash can, bin, garbage can, waste basket
punching_bag: punching ball, punch bag, speed bag
quail_leg: drumstick, chicken leg
quiche: pie, tart
radiator: heater
raw_egg: egg
razor: shaver, shaving razor
reagent_bottle: bottle, glass bottle
recycling_bin: recycle bin, recycling box, bin
remote_control: remote, tv remote
ring: diamond ring
ripsaw: saw, hand saw, handsaw
roast_chicken: chicken, turkey, roast turkey, roasted chicken
roasting_pan: baking tray, roasting tin, pan, tray
robot: home robot, household robot, humanoid robot
round_bottom_flask: flask
router: wifi router, modem
rubber_boot: boot, wellington boot, rain boot, welly
rubber_glove: glove
ruby: gem, red gem, gemstone, jewel, diamond
rug: doormat, carpet, mat
rutabaga: turnip, swede
safe: strongbox, vault
salad: bowl of salad, salad bowl
salmon: salmon fillet, fish, fish fillet
salt_grinder: salt mill, pepper mill, pepper grinder, grinder, wooden mill
salt_shaker: salt cellar, salt, shaker
sandal: slippers, slipper, sandals, pair of slippers
sandwich: toast sandwich
saucepot: pot, saucepan, cooking pot
saucer: plate, small plate
sausage: hot dog, frankfurter
saw: hand saw, handsaw
saxophone: sax
scone: bread roll, bun, roll
seashell: shell, scallop shell
set_triangle: set square, triangle ruler, triangle, ruler
shaker: salt shaker
shelf: shelves, shelving unit, rack, metal shelf
shopping_basket: basket
shoulder_bag: handbag, bag, purse
shovel: spade
shower_stall: shower, shower cabin, shower cubicle
side_table: table, small table
sideboard: cabinet, cupboard
sink: washbasin, basin, wash basin
skateboard: skate board, longboard
skateboard_wheel_assembly: wheel, small wheel, skateboard wheel
sleeping_bag: sleepingbag
soccer_ball: football
soda_cup: cup, drink, soft drink, cup with straw
sofa: couch, settee
softball: ball, tennis ball, baseball
sound_system: stereo, hi fi, hifi, compact stereo
specimen_bottle: bottle, laboratory bottle
spinach: leafy greens, greens, lettuce
spirit_lamp: oil lamp, alcohol burner, alcohol lamp, burner
sponge: kitchen sponge, scouring pad
spray_bottle: sprayer
squeegee: window wiper, window cleaner
squeeze_bottle: ketchup bottle, sauce bottle
stake: wooden stake, stick
stapler: staple gun
statue: bust, sculpture
steel_wool: wire wool, scouring pad, metal wool
step_ladder: ladder, stepladder
sticky_note: post it, sticky notes, note pad
stockpot: pot, cooking pot, pan
stool: low stool
storage_box: box, plastic box, container, cool box, storage container
store_shelf: shelf, shelves, supermarket shelf
straight_chair: chair, wooden chair
straw: drinking straw
stroller: pushchair, buggy, baby carriage, pram
succulent: plant, potted plant
suitcase: luggage, case
sunglasses: shades, glasses
sweet_corn: corn, corn on the cob, maize, corn cob
sweet_potato: potato
swiss_cheese: cheese
swivel_chair: office chair, desk chair, chair
syringe: needle, injection
table_knife: knife, butter knife
table_lamp: lamp
tablefork: fork
tablespoon: spoon, teaspoon
tablet: tablet computer
taboret: stool, wooden stool
tank: fish tank, aquarium, glass tank
tape_measure: measuring tape
tea_caddy: tea tin, tin, canister, tea canister
teacup: cup and saucer, cup, cup of tea
teapot: tea pot
teddy_bear: teddy, stuffed bear
television: tv
tennis_racket: racket, tennis racquet
tissue_dispenser: tissues, box of tissues, tissue box
toaster_oven: oven, mini oven
tobacco_pipe: pipe, smoking pipe
toilet_paper: toilet roll, roll of toilet paper
tote: bag, straw bag, beach bag, tote bag, basket
towel_rack: towel, towel rail
toy_car: car
toy_dice: dice, die
toy_figure: wooden doll, figurine, wooden toy figure, wooden figure
toy_train: train
traffic_cone: cone, road cone
trash_can: bin, garbage can, dustbin, pedal bin, trash bin
treadmill: running machine
treasure_chest: chest, wooden chest, treasure box, small chest
trophy: cup, trophy cup
tumbler: glass, drinking glass
tupperware: food container, plastic container, lunch box, storage box
turkey_leg: drumstick, chicken leg
tv_stand: tv cabinet, sideboard, media console
umbrella: folded umbrella, closed umbrella
vidalia_onion: onion
violin_case: instrument case, case
walker: walking frame, zimmer frame
wall_cabinet: cabinet, cupboard, wall cupboard, kitchen cabinet
wall_clock: clock
wall_mounted_tv: tv, television, screen
walnut: nut
wardrobe: closet, cupboard
washbasin: sink, basin
washer: washing machine
watch: wristwatch, wrist watch
water_dispenser: water cooler
water_glass: glass, drinking glass
webcam: camera, web cam
whisk: egg beater, beater
white_turnip: turnip, radish
whiteboard: white board
whole_chicken: roast chicken, roasted chicken, chicken, turkey
wicker_basket: basket
wineglass: wine glass, glass
wok: pan, frying pan
wooden_box: box, wood box, wooden chest, chest
work_helmet: hard hat, helmet, construction helmet, safety helmet
workbench: work table
zucchini: courgette, cucumber
"""

_BROADER = """
fruit: apple apricot avocado banana blackberry blueberry cherry coconut grape grapefruit kiwi lemon lime mango nectarine orange papaya
  peach pear pineapple plum pomegranate raspberry strawberry watermelon gooseberry
vegetable: artichoke bell_pepper bok_choy broccoli butternut_squash carrot cauliflower celery cucumber eggplant garlic green_bean gourd
  head_cabbage mushroom onion pattypan_squash potato pumpkin rutabaga spinach sweet_corn tomato turnip zucchini
cake: birthday_cake carrot_cake cheesecake chocolate_cake cupcake muffin
bread: bagel baguette bap bun croissant pita pretzel hotdog_bun
ball: baseball basketball volleyball softball tennis_ball soccer_ball golf_ball pool_ball bowling_ball beach_ball
glass: beer_glass champagne_glass cocktail_glass tumbler water_glass wineglass
flask: erlenmeyer_flask round_bottom_flask
tool: allen_wrench chisel drill hammer saw screwdriver shovel tape_measure
instrument: guitar piano saxophone trombone trumpet violin xylophone
lamp: desk_lamp floor_lamp table_lamp lantern
chair: armchair dining_chair eames_chair folding_chair straight_chair swivel_chair
shoe: gym_shoe high_heel loafer sandal hiking_boot rubber_boot
bag: backpack briefcase handbag suitcase tote
cutlery: table_knife tablefork tablespoon
toy: doll duck teddy_bear toy_car toy_figure toy_train
nut: acorn hazelnut walnut
plant: agave cactus house_plant poinsettia pot_plant pottable_daffodil succulent sunflower flower
"""


def _lists(text: str) -> dict[str, tuple[str, ...]]:
    """Lines ``name: word, word`` as a table."""
    return {line.split(":")[0].strip(): tuple(w.strip() for w in line.split(":")[1].split(",")) for line in text.strip().splitlines()}


def _kinds(text: str) -> dict[str, tuple[str, ...]]:
    """Lines ``kind: category category`` (continued by indented ones) the other way round."""
    found: dict[str, tuple[str, ...]] = {}
    for line in text.strip().replace("\n  ", " ").splitlines():
        kind, categories = line.split(":")
        for category in categories.split():
            found[category] = (*found.get(category, ()), kind)
    return found


SYNONYMS = _lists(_SYNONYMS)
BROADER = _kinds(_BROADER)
