"""Which model stands for a category, how honestly, and what it weighs. Imports without MuJoCo and without a renderer.

A program that finds a backend's catalogue by name (`sim_bridge describe`) finds `Catalogue` here.
"""

from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue

__all__ = ["Catalogue"]
