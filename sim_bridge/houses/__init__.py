"""Houses of 3 to 9 rooms: plans by seed, room graphs, ways, maps. Pure Python and numpy, without any simulator.

>>> house = plan(seed=7, rooms=6)
>>> routes.shortest(house, "kitchen", "bathroom").rooms      # which rooms the shortest way leads through
>>> navigation.empty_grid(house).path(house.centre("kitchen"), house.centre("bathroom"))      # waypoints in metres
>>> drawing.png(house)      # the map
>>> Scene(camera=…, room=house.bounding_room(), house=House(seed=7, rooms=6))      # the same house in a simulator
"""

from sim_bridge.houses.derive import plan
from sim_bridge.houses.plan import HEIGHT_M, MAX_ROOMS, MIN_ROOMS, Plan
from sim_bridge.houses.read import plan_of

__all__ = ["HEIGHT_M", "MAX_ROOMS", "MIN_ROOMS", "Plan", "plan", "plan_of"]
