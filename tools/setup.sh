#!/usr/bin/env bash
# Sets Vantage up on this machine: Python environment, renderer library, object models, and for tests Chromium and nginx.
# Idempotent: every part says in one line what it does, and is skipped when it is already there.
# Usage: tools/setup.sh run|test        ("test" adds what tests and checks need)
set -euo pipefail
cd "$(dirname "$0")/.."
VENV=.venv
CACHE=${VANTAGE_CACHE:-.cache}
MODELS=sweethome3d-furniture
FOR=${1:-run}

say() { printf '\033[1m==\033[0m %s\n' "$*"; }
fail() { printf 'Set-up cannot continue: %s\n' "$*" >&2; exit 1; }
mkdir -p "$CACHE"
PIPLOG=$CACHE/pip.log APTLOG=$CACHE/apt.log

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null 2>&1; then sudo "$@"
  else return 1
  fi
}
apt_update() { command -v apt-get >/dev/null 2>&1 && as_root apt-get update -qq >>"$APTLOG" 2>&1; }
apt_install() { as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >>"$APTLOG" 2>&1; }
has_renderer() { ldconfig -p 2>/dev/null | grep -q libOSMesa || find ${LD_LIBRARY_PATH:+${LD_LIBRARY_PATH//:/ }} -maxdepth 1 -name 'libOSMesa*' 2>/dev/null | grep -q .; }

# ---------------------------------------------------------------- Python
PY=
for candidate in python3.11 python3.12 python3.13 python3; do
  if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, 13)))' 2>/dev/null; then
    PY=$candidate; break
  fi
done
[ -n "$PY" ] || fail "Python 3.11, 3.12 or 3.13 is needed; install it with 'apt-get install python3 python3-venv' and run make again."

UPDATED=
if [ ! -x "$VENV/bin/python" ] || ! "$VENV/bin/python" -c 'import pip' >/dev/null 2>&1; then
  say "Creating the Python environment in $VENV ($("$PY" --version))"
  rm -rf "$VENV"
  if ! "$PY" -m venv "$VENV" >"$PIPLOG" 2>&1; then
    rm -rf "$VENV"
    apt_update && UPDATED=1
    apt_install python3-venv || fail "'$PY -m venv' does not work here; install the package python3-venv and run make again."
    "$PY" -m venv "$VENV" >"$PIPLOG" 2>&1 || fail "'$PY -m venv' still fails; see $PIPLOG."
  fi
fi

# ---------------------------------------------------------------- Debian packages, fetched while pip works
ASSETS=${SIM_BRIDGE_ASSETS:-$VENV/share/sim_bridge/assets}
PACK=$(sed -n 's/^PACK_NAME = "\(.*\)"$/\1/p' sim_bridge/backends/mujoco/catalogue/pack.py)
has_models() { [ -f "$ASSETS/$PACK/manifest.json" ]; }
packages=()
has_renderer || packages+=(libosmesa6)
[ "$FOR" != test ] || command -v chromium >/dev/null 2>&1 || packages+=(chromium fonts-dejavu-core)
has_nginx() { PATH=$PATH:/usr/sbin command -v nginx >/dev/null 2>&1; }
NEW_NGINX=
if [ "$FOR" = test ] && ! has_nginx; then packages+=(nginx openssl); NEW_NGINX=1; fi
# The same Chromium without windows costs tests two fifths less; older Debians do not have it, and tests do without it.
SHELL_TOO=
if [ "$FOR" = test ] && ! command -v chromium-headless-shell >/dev/null 2>&1; then
  if [ ${#packages[@]} -gt 0 ] || apt-cache show chromium-headless-shell >/dev/null 2>&1; then SHELL_TOO=1; fi
fi
APT_JOB=
if [ ${#packages[@]} -gt 0 ] || [ -n "$SHELL_TOO" ] || ! has_models; then
  [ ${#packages[@]} -eq 0 ] || say "Installing Debian packages in the background: ${packages[*]}"
  has_models || say "Fetching the object models in the background (Debian's $MODELS, 120 MB)"
  (
    [ -n "$UPDATED" ] || apt_update || true
    [ ${#packages[@]} -eq 0 ] || apt_install "${packages[@]}" || true
    [ -z "$SHELL_TOO" ] || apt_install chromium-headless-shell || true
    # Tests start an nginx of their own; the package's must not serve this machine's port 80 because of them.
    [ -z "$NEW_NGINX" ] || ! command -v systemctl >/dev/null 2>&1 || as_root systemctl disable --now nginx >>"$APTLOG" 2>&1 || true
    if ! has_models && ! compgen -G "$CACHE/${MODELS}_*.deb" >/dev/null && command -v apt-get >/dev/null 2>&1; then
      cd "$CACHE" && mkdir -p part && cd part && apt-get -qq -o APT::Sandbox::User=root download "$MODELS" >>../apt.log 2>&1 && mv "${MODELS}"_*.deb .. || true
    fi
  ) &
  APT_JOB=$!
fi

# ---------------------------------------------------------------- Python packages
sync() {  # sync LOCKFILE STAMP: install a lock file once
  local want
  want=$(cat "$1" pyproject.toml | sha256sum | cut -d' ' -f1)
  [ "$(cat "$VENV/$2" 2>/dev/null)" != "$want" ] || return 0
  say "Installing the Python packages of $1"
  "$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r "$1" >"$PIPLOG" 2>&1 \
    || fail "pip could not install $1; check the network or your package index and run make again (details: $PIPLOG)."
  if [ "$1" = requirements.lock ]; then
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e . >"$PIPLOG" 2>&1 \
      || fail "pip could not install Vantage itself; see $PIPLOG."
  fi
  printf '%s' "$want" >"$VENV/$2"
}
sync requirements.lock .vantage-lock
[ "$FOR" != test ] || sync requirements-dev.lock .vantage-dev-lock
if [ "$FOR" = test ]; then
  "$VENV/bin/python" -P tools/browser_code.py --install 2>>"$CACHE/npm.log" || say "'make check' does without them (see $CACHE/npm.log); the next set-up tries again."
fi
[ -z "$APT_JOB" ] || wait "$APT_JOB" || true

# ---------------------------------------------------------------- the source that a contract test reads
if [ "$FOR" = test ] && [ ! -f "$CACHE/omnigibson-1.1.1.tar.gz" ]; then
  say "Fetching the source of OmniGibson 1.1.1, whose names a test compares with those the adapter uses"
  "$VENV/bin/python" -m pip download -q --disable-pip-version-check --no-deps --no-binary :all: --no-build-isolation --require-hashes \
    -r tools/omnigibson-source.txt -d "$CACHE" >"$PIPLOG" 2>&1 || say "It could not be fetched (see $PIPLOG), so that test is skipped."
fi

# ---------------------------------------------------------------- what must be there now
has_renderer || fail "the renderer library libOSMesa is missing; run 'apt-get install libosmesa6' as root, or without apt follow docs/how-to/renderer-without-apt.md."
[ "$FOR" != test ] || command -v chromium >/dev/null 2>&1 || fail "Chromium is missing; run 'apt-get install chromium' as root (tests only; the app does not need it)."
[ "$FOR" != test ] || has_nginx || fail "nginx is missing; run 'apt-get install nginx' as root (tests only; the app does not need it)."
if ! has_models; then
  deb=$(compgen -G "$CACHE/${MODELS}_*.deb" | head -1 || true)
  if [ -z "$deb" ]; then
    say "The object models could not be fetched (apt-get download $MODELS), so the built-in procedural objects serve; 'make assets' tries again."
  else
    say "Converting the object models (about a minute)"
    "$VENV/bin/python" -P -m sim_bridge.backends.mujoco.tools.build_assets --deb "$deb" \
      || say "The object models could not be converted, so the built-in procedural objects serve; 'make assets' tries again."
  fi
fi

# ---------------------------------------------------------------- the robot sample that the demo of the question studio uses
SAMPLE=$VENV/share/sim_bridge/robot-sample
if ! grep -q '"complete":true' "$SAMPLE/sample.json" 2>/dev/null; then
  say "Rendering the robot sample, four episodes of each arm (about two minutes, once)"
  "$VENV/bin/python" -P -m sim_bridge robot-sample --episodes 4 --out "$SAMPLE" >"$CACHE/robot-sample.log" 2>&1 \
    || say "The robot sample could not be rendered (see $CACHE/robot-sample.log), so the demo has none; the next set-up tries again."
fi
say "Set-up is complete"
