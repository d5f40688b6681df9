#!/usr/bin/env bash
# Runs a command whose temporary files lie in memory where there is room for them, and are gone after it. Tests make thousands of databases,
# and each waits for the disk whenever it keeps something. Usage: tools/in_memory.sh COMMAND...; TMPDIR, where it is set, stays as it is.
set -u
PLACE=${MEMORY_PLACE:-/dev/shm}
NEEDED_KB=$((3 * 1024 * 1024))

# The place must be a file system in memory with room, the memory must be there, and programs must run from it.
usable() {
  [ "$(stat -f -c %T "$PLACE" 2>/dev/null)" = tmpfs ] || return 1
  [ "$(df -kP "$PLACE" | awk 'NR == 2 { print $4 }')" -ge "$NEEDED_KB" ] || return 1
  [ "$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)" -ge $((2 * NEEDED_KB)) ] || return 1
  MADE=$(mktemp -d "$PLACE/vt.XXXX") || return 1
  trap 'rm -rf "$MADE"' EXIT
  chmod 1777 "$MADE" # as /tmp is
  printf '#!/bin/sh\n' >"$MADE/runs" && chmod +x "$MADE/runs" && "$MADE/runs" 2>/dev/null && rm "$MADE/runs"
}

if [ -z "${TMPDIR:-}" ] && usable; then
  export TMPDIR=$MADE
fi
"$@"
