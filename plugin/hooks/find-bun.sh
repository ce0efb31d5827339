# Sets $bun to the program, or to nothing. Hooks often get a shorter PATH than a terminal, so Bun is also
# looked for where its installers put it.
for bun in "$(command -v bun)" "${BUN_INSTALL:-$HOME/.bun}/bin/bun" /opt/homebrew/bin/bun /usr/local/bin/bun; do
  [ -x "$bun" ] && break
  bun=
done
