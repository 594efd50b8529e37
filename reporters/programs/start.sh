#!/bin/sh
# Starts the real program of this name. A command that sets NODE_OPTIONS or PYTHONPATH itself gets the reporter all the same.
name=${0##*/}
here=${0%/*}
reporters=${here%/*}
rest=$PATH:
real=
while [ -n "$rest" ]; do
  folder=${rest%%:*}
  rest=${rest#*:}
  if [ "$folder" != "$here" ] && [ -n "$folder" ] && [ -f "$folder/$name" ] && [ -x "$folder/$name" ]; then
    real=$folder/$name
    break
  fi
done
if [ -z "$real" ]; then
  echo "$name: not found" >&2
  exit 127
fi
case $name in
node)
  case " ${NODE_OPTIONS-} " in
  *"$reporters/node.cjs"*) ;;
  *) export NODE_OPTIONS="--require $reporters/node.cjs${NODE_OPTIONS:+ $NODE_OPTIONS}" ;;
  esac
  ;;
*)
  case ":${PYTHONPATH-}:" in
  *":$reporters/python:"*) ;;
  *) export PYTHONPATH="$reporters/python${PYTHONPATH:+:$PYTHONPATH}" ;;
  esac
  ;;
esac
exec "$real" "$@"
