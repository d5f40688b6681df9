#!/usr/bin/env bash
# Sets Vantage up on this machine: Python environment, renderer library, browser for tests, object models.
# Idempotent: every part says in one line what it does, and is skipped when it is already there.
set -euo pipefail
cd "$(dirname "$0")/.."
VENV=.venv
CACHE=${VANTAGE_CACHE:-.cache}
PACK=household-1
WITH_BROWSER=${1:-run}   # "run": what the app needs; "test": Chromium too

say() { printf '\033[1m==\033[0m %s\n' "$*"; }
fail() { printf 'Set-up cannot continue: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null 2>&1; then sudo "$@"
  else return 1
  fi
}

APT_UPDATED=
apt_get() {  # apt_get PACKAGE...: install quietly, from a fresh package list
  command -v apt-get >/dev/null 2>&1 || return 1
  if [ -z "$APT_UPDATED" ]; then as_root apt-get update -qq >/dev/null || return 1; APT_UPDATED=1; fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$LOG" 2>&1
}

mkdir -p "$CACHE"
LOG=$CACHE/setup.log

# ---------------------------------------------------------------- Python
PY=
for candidate in python3.11 python3.12 python3.13 python3; do
  if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, 13)))' 2>/dev/null; then
    PY=$candidate; break
  fi
done
[ -n "$PY" ] || fail "Python 3.11, 3.12 or 3.13 is needed; install it with 'apt-get install python3 python3-venv' and run make again."

if [ ! -x "$VENV/bin/python" ] || ! "$VENV/bin/python" -c 'import pip' >/dev/null 2>&1; then
  say "Creating the Python environment in $VENV ($("$PY" --version))"
  rm -rf "$VENV"
  if ! "$PY" -m venv "$VENV" >"$LOG" 2>&1; then
    rm -rf "$VENV"
    apt_get python3-venv || fail "'$PY -m venv' does not work here; install the package python3-venv and run make again."
    "$PY" -m venv "$VENV" >"$LOG" 2>&1 || fail "'$PY -m venv' still fails; see $LOG."
  fi
fi
WANT=$(cat requirements.lock pyproject.toml | sha256sum | cut -d' ' -f1)
if [ "$(cat "$VENV/.vantage-lock" 2>/dev/null)" != "$WANT" ]; then
  say "Installing the locked Python packages (one to three minutes)"
  "$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r requirements.lock >"$LOG" 2>&1 \
    || fail "pip could not install requirements.lock; check the network or your package index and run make again (details: $LOG)."
  "$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e . >"$LOG" 2>&1 \
    || fail "pip could not install Vantage itself; see $LOG."
  printf '%s' "$WANT" >"$VENV/.vantage-lock"
fi

# ---------------------------------------------------------------- renderer
renders() { MUJOCO_GL=osmesa PYOPENGL_PLATFORM=osmesa "$VENV/bin/python" -c 'from OpenGL import osmesa; osmesa.OSMesaCreateContextExt' >/dev/null 2>&1; }
if ! renders; then
  say "Installing the software renderer (libosmesa6)"
  apt_get libosmesa6 || true
  renders || fail "the renderer library libOSMesa is missing; run 'apt-get install libosmesa6' as root, or without apt follow docs/how-to/renderer-without-apt.md."
fi

# ---------------------------------------------------------------- object models
ASSETS=$("$VENV/bin/python" -c 'import sys, os, pathlib; print(os.environ.get("SIM_BRIDGE_ASSETS") or pathlib.Path(sys.prefix, "share", "sim_bridge", "assets"))')
if [ ! -f "$ASSETS/$PACK/manifest.json" ]; then
  say "Fetching and converting the household object models (about two minutes)"
  if ! "$VENV/bin/python" -P -m sim_bridge.backends.mujoco.build_assets --download-dir "$CACHE"; then
    say "The object models could not be fetched, so the built-in procedural objects serve for now; 'make assets' tries again."
  fi
fi

# ---------------------------------------------------------------- browser for tests
if [ "$WITH_BROWSER" = test ] && ! command -v chromium >/dev/null 2>&1; then
  say "Installing Chromium for the browser tests"
  apt_get chromium fonts-dejavu-core || fail "Chromium is missing; run 'apt-get install chromium' as root (tests only; the app does not need it)."
fi
say "Set-up is complete"
