#!/bin/sh
# Calls one of our hooks: sh run.sh NAME. Without Bun it says so, once; a session never fails because of us.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/find-bun.sh"
dist=${here%/*}/dist
said="${XDG_STATE_HOME:-$HOME/.local/state}/persisted-memory/said-bun-is-missing"

if [ -n "$bun" ]; then
  "$bun" --no-env-file --config="$dist/bunfig.toml" "$dist/hook.js" "$1" --plugin
elif [ "$1" = session-start ] && [ ! -e "$said" ]; then
  mkdir -p "${said%/*}" && : >"$said"
  echo '{"systemMessage":"persisted-memory does nothing yet: it needs Bun (https://bun.sh), which was not found."}'
fi
exit 0
