"""Script that the pool runs to start a worker: ``python _start.py ROOT worker …`` is ``python -m sim_bridge worker …`` without strangers.

``-m`` puts the working directory first on the path, where somebody's ``numpy.py`` would win. Python 3.11 has ``-P`` against that; this does
the same on 3.10 too. ROOT is the folder that holds the package sim_bridge, or empty where the interpreter has one of its own.
"""

import os
import sys

root = sys.argv.pop(1)
try:
    here = os.getcwd()  # noqa: PTH109
except OSError:
    here = ""
strangers = {"", ".", here, os.path.dirname(os.path.abspath(__file__))}  # noqa: PTH100, PTH120 - nothing may be imported yet
sys.path[:] = [p for p in sys.path if p not in strangers or p == root]
if root and root not in sys.path:
    sys.path.insert(0, root)

import runpy  # noqa: E402 - only now is the path clean

runpy.run_module("sim_bridge", run_name="__main__", alter_sys=True)
