#!/bin/sh
# `go test` starts each test binary through this, and `go run` each program.
here=${0%/*}
. "$here/environment.sh"
# What go would have started it through.
other=go_${GOOS:-}_${GOARCH:-}_exec
if command -v "$other" >/dev/null 2>&1; then exec "$other" "$@"; fi
case $1 in
*.test) ;;
*) exec "$@" ;;
esac

report=$here/out/$$
mkfifo "$report.pipe" 2>/dev/null || exec "$@"
printf 'begin %s\n' "$PWD" >"$report.go"
grep -aE '^.?=== RUN |--- (PASS|FAIL|SKIP): ' <"$report.pipe" >>"$report.go" &
binary=$1
shift
{
  "$binary" -test.v=true "$@"
  echo $? >"$report.status"
} | tee "$report.pipe"
wait
read -r status <"$report.status"
printf 'exit %s\n' "$status" >>"$report.go"
exit "$status"
