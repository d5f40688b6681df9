# Vantage. `make run` opens the app on a demo study, `make test` sets up and tests everything. Both can be repeated.
SHELL := /bin/bash
PY := .venv/bin/python
# Tests of code alone share the cores; of those with a browser, or that kill processes, two run at a time: each starts servers of its own.
SPREAD := -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
PAIRS := -n 2 --dist loadfile --no-loadscope-reorder
# A run that stands still ends in time to say what failed.
# Their temporary files lie in memory where there is room (TMPDIR, where it is set, is kept): what is kept on a disk is waited for.
WITHIN := tools/in_memory.sh timeout --foreground --signal=INT --kill-after=60 2400
# Tests start hundreds of processes of this code: compiled once it is read, and not compiled again by each.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup setup-run run test test-fast check bench assets lock clean

help:          ## what can be made
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t16

setup:         ## everything: Python packages, renderer, object models, Chromium and nginx for tests
	@tools/setup.sh test

setup-run:
	@tools/setup.sh run

run: setup-run ## open the app on a seeded demo study (Ctrl-C stops it)
	@exec .venv/bin/vantage run

test: setup    ## run every test
	@$(WITHIN) $(PY) -P -m pytest $(SPREAD) -m "not browser and not crash"
	@$(WITHIN) $(PY) -P -m pytest $(PAIRS) -m "browser or crash"

test-fast: setup-run ## tests without browser and crash runs
	@$(WITHIN) $(PY) -P -m pytest $(SPREAD) -m "not browser and not crash"

check: setup   ## lint, formatting, types, browser code, import directions, documentation
	@$(PY) -P tools/check.py

bench: setup   ## print the benchmark figures
	@.venv/bin/vantage bench loop --json && .venv/bin/vantage bench crash --kills 20 --json && .venv/bin/vantage bench handshake --json

assets: setup-run ## build the object models again
	@$(PY) -P -m sim_bridge.backends.mujoco.tools.build_assets --force

lock: setup    ## resolve the lock files again from pyproject.toml
	@$(PY) -P tools/lock.py && $(PY) -P tools/browser_code.py --lock

clean:         ## remove build products (keeps .vantage, the environment and the models)
	@rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
