import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { shellWord } from "../../core/text/quoted.ts";
import { replaceFile } from "../../workspace/files/replace-file.ts";
import { installFolder } from "../../workspace/process/install-folder.ts";

const env = "/usr/bin/env";

/** What people and clients send to a command; those that a shell ignores in the background come first. */
const signals = ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "CONT"];

/** Writes the command `lockstep` that a changed call names; a newer Lockstep writes its own. */
export function placeExecScript(folder: string, calls: string, tools: Tools): string {
  const file = join(folder, "lockstep");
  const text = scriptText(calls, tools);
  if (existsSync(file) && readFileSync(file, "utf8") === text) return file;
  replaceFile(file, text, { mode: 0o700 });
  return file;
}

interface Tools {
  readonly bwrap: string;
  /** Folders that programs are looked for in, none of the project's among them. */
  readonly path: string;
}

let found: boolean | undefined;

/** Asked once a process. GNU's can; with another one a signal ends a program at once. */
function envResetsSignals(): boolean {
  found ??= spawnSync(env, ["--default-signal=INT", "true"], { stdio: "ignore" }).status === 0;
  return found;
}

/**
 * The first process in the sandbox: all else in there ends with it. Descriptors 8 and 6 lead to the shell of the call
 * and to the script's: if one of them ended before bwrap could notice, the program does not start.
 */
function firstProcess(passesSignals: boolean): string {
  const reset = passesSignals ? `${env} --default-signal="$0" -- ` : "";
  const start = `(exec ${reset}"$@" 6<&- 8<&-)`;
  return `read -r _ </proc/self/fd/8 && read -r _ </proc/self/fd/6 || exit 125; ${start}; exit $?`;
}

/**
 * The script waits beside the sandbox, because bwrap would not survive a signal and the program in it would end with
 * bwrap. So bwrap ignores signals, and the script passes them on. It runs outside the sandbox in the environment of the
 * call: it starts no program by its name alone.
 */
function scriptText(calls: string, { bwrap, path }: Tools): string {
  const passesSignals = envResetsSignals();
  const words = (list: readonly string[]) => list.map(shellWord).join(" ");
  const own = words([process.execPath, join(installFolder(), "bin", "lockstep.cjs")]);
  const sandbox = words([bwrap, "--args", "9", "--", "/bin/sh", "-c", firstProcess(passesSignals)]);
  const sleep = shellWord(join(dirname(realpathSync(env)), "sleep"));
  return `#!/bin/sh
# Written by Lockstep. \`lockstep exec ID SHELL PROGRAM …\` runs a program of one tool call with no more rights than its
# agent's lock gives, as long as the shell of that process id lives. The file of the ID holds the options of bwrap that
# the guard chose before the call. \`lockstep hooks ID PROGRAM …\` runs a program whose git starts its hooks that way.
calls=${shellWord(calls)}
if [ "$1" = hooks ] && [ -d "$calls/before-$2.hooks" ]; then
  n=\${GIT_CONFIG_COUNT:-0}
  export GIT_CONFIG_COUNT=$((n + 1)) "GIT_CONFIG_KEY_$n=core.hooksPath" "GIT_CONFIG_VALUE_$n=$calls/before-$2.hooks"
  shift 2
  # Not one that a program of the same call has put into a folder of the project.
  program=$(PATH=${shellWord(path)}; command -v -- "$1")
  case $program in
    /*) shift && exec "$program" "$@" ;;
  esac
  exec "$@"
fi
if [ "$1" != exec ] || [ ! -r "$calls/before-$2" ]; then exec ${own} "$@"; fi
signals='${passesSignals ? signals.join(" ") : ""}'

# A shell cannot catch what was ignored when it started: then this one starts again. The program ignores it still.
kept=0
if [ -n "$signals" ]; then
  case $LOCKSTEP_IGNORED in
  [1-7])
    kept=$LOCKSTEP_IGNORED
    unset LOCKSTEP_IGNORED
    ;;
  *)
    thirtythird() { shift 30 && ignored=$(($1 & 7)); }
    read -r fields </proc/$$/stat
    thirtythird \${fields##*) }
    [ "$ignored" = 0 ] ||
      exec ${env} --default-signal=HUP,INT,QUIT LOCKSTEP_IGNORED="$ignored" "$0" "$@"
    ;;
  esac
fi
reset=TERM,USR1,USR2,CONT
[ "$((kept & 1))" != 0 ] || reset=$reset,HUP
[ "$((kept & 2))" != 0 ] || reset=$reset,INT
[ "$((kept & 4))" != 0 ] || reset=$reset,QUIT

# Of all folders for temporary files the sandbox shows these alone.
case \${TMPDIR:-/tmp}/ in
/tmp/* | /var/tmp/*) ;;
*) export TMPDIR=/tmp ;;
esac

exec 9<"$calls/before-$2" 8<"/proc/$3/stat" 6<"/proc/$$/stat" || exit 125
shift 3
command -v -- "$1" >/dev/null || {
  echo "lockstep: $1: not found; a function or alias of your shell cannot run inside the lock" >&2
  exit 127
}

child() { # the first one of a process
  child=
  read -r child _ <"/proc/$1/task/$1/children"
  [ -n "$child" ]
}
ignored() {
  while read -r name ignored; do [ "$name" != SigIgn: ] || break; done <"/proc/$1/status"
}
pass() { # a signal, to the program: before that has started, it ignores all that the first process does
  passed=$1
  [ -n "$sandbox" ] || return
  tries=0
  while kill -0 "$sandbox"; do
    if child "$sandbox" && first=$child && child "$first"; then
      ignored "$first" && before=$ignored && ignored "$child"
      [ "$ignored" = "$before" ] && [ "$tries" -lt 50 ] || break
    fi
    tries=$((tries + 1))
    ${sleep} 0.02
  done
  kill -s "$1" "$child"
  case $1 in
  HUP | INT | QUIT) each "$child" ;; # a terminal sends these to all programs of a command
  esac
} 2>/dev/null
each() { # the same signal to all that a process has started
  started=
  read -r started <"/proc/$1/task/$1/children"
  for process in $started; do
    kill -s "$passed" "$process"
    each "$process"
  done
}

sandbox=
passed=
for signal in $signals; do trap "pass $signal" "$signal"; done
# In the background a program reads nothing, unless it is told to.
if [ -e /proc/self/fd/0 ]; then exec 7<&0; else exec 7</dev/null; fi
(
  for signal in $signals; do trap '' "$signal"; done
  exec ${sandbox} "$reset" "$@" <&7 7<&-
) &
sandbox=$!
exec 6<&- 7<&- 9<&-
[ -z "$passed" ] || pass "$passed"

# Ends the program once the shell of the call has ended, whichever process is the parent by then.
(
  for signal in ${signals.join(" ")}; do trap '' "$signal"; done
  trap 'kill "$pause"; exit' ALRM
  while
    ${sleep} 1 &
    pause=$!
    wait "$pause"
    kill -0 "$sandbox"
  do
    read -r _ </proc/self/fd/8 || kill -9 "$sandbox"
  done
) </dev/null >/dev/null 2>&1 &
watch=$!

while
  wait "$sandbox"
  code=$?
  kill -0 "$sandbox" 2>/dev/null # it has not ended: a signal came
do :; done
if [ -n "$passed" ]; then # both may have happened at once
  wait "$sandbox" 2>/dev/null
  last=$?
  [ "$last" = 127 ] || code=$last
fi
kill -s ALRM "$watch"
exit "$code"
`;
}
