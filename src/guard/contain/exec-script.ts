import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { shellWord } from "../../core/text/quoted.ts";
import { replaceFile } from "../../workspace/files/replace-file.ts";
import { installFolder } from "../../workspace/process/install-folder.ts";

const env = "/usr/bin/env";

/** Signals that people and clients send to a command. Those that a shell ignores in the background come first. */
const signals = ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "CONT"];

/** Writes the `lockstep` script that a replaced command calls. A newer version overwrites it. */
export function placeExecScript(folder: string, calls: string, tools: Tools): string {
  const file = join(folder, "lockstep");
  const text = scriptText(calls, tools);
  if (existsSync(file) && readFileSync(file, "utf8") === text) return file;
  replaceFile(file, text, { mode: 0o700 });
  return file;
}

interface Tools {
  readonly bwrap: string;
  /** The folders in which programs are searched, without folders of the project. */
  readonly path: string;
}

let found: boolean | undefined;

/** Checked once per process. Only GNU env can reset signals; without that, a signal ends a program at once. */
function envResetsSignals(): boolean {
  found ??= spawnSync(env, ["--default-signal=INT", "true"], { stdio: "ignore" }).status === 0;
  return found;
}

/**
 * The first process in the sandbox; all others in there end with it. Descriptors 8 and 6 refer to the shell of the call
 * and to the script's shell: if one of them ended before bwrap could notice, the program does not start.
 */
function firstProcess(passesSignals: boolean): string {
  const reset = passesSignals ? `${env} --default-signal="$0" -- ` : "";
  const start = `(exec ${reset}"$@" 6<&- 8<&-)`;
  return `read -r _ </proc/self/fd/8 && read -r _ </proc/self/fd/6 || exit 125; ${start}; exit $?`;
}

/**
 * The script waits next to the sandbox, because bwrap would not survive a signal, and the program in it would end with
 * bwrap. So bwrap ignores signals, and the script passes them on. It runs outside the sandbox in the environment of the
 * call, so it starts no program by its bare name.
 */
function scriptText(calls: string, { bwrap, path }: Tools): string {
  const passesSignals = envResetsSignals();
  const words = (list: readonly string[]) => list.map(shellWord).join(" ");
  const own = words([process.execPath, join(installFolder(), "bin", "lockstep.cjs")]);
  const sandbox = words([bwrap, "--args", "9", "--", "/bin/sh", "-c", firstProcess(passesSignals)]);
  const sleep = shellWord(join(dirname(realpathSync(env)), "sleep"));
  return `#!/bin/sh
# Written by Lockstep. \`lockstep exec ID SHELL PROGRAM …\` runs a program of one tool call that can write only
# inside its agent's lock, as long as the shell with that process id lives. The file of the ID holds the bwrap options that
# the guard chose before the call. \`lockstep hooks ID PROGRAM …\` runs a program whose git hooks start that way.
calls=${shellWord(calls)}
if [ "$1" = hooks ] && [ -d "$calls/before-$2.hooks" ]; then
  n=\${GIT_CONFIG_COUNT:-0}
  export GIT_CONFIG_COUNT=$((n + 1)) "GIT_CONFIG_KEY_$n=core.hooksPath" "GIT_CONFIG_VALUE_$n=$calls/before-$2.hooks"
  shift 2
  # Search a safe PATH: a program of the same call may have put a file into a folder of the project.
  program=$(PATH=${shellWord(path)}; command -v -- "$1")
  case $program in
    /*) shift && exec "$program" "$@" ;;
  esac
  exec "$@"
fi
if [ "$1" != exec ] || [ ! -r "$calls/before-$2" ]; then exec ${own} "$@"; fi
signals='${passesSignals ? signals.join(" ") : ""}'

# A shell cannot catch signals that were ignored when it started, so this one restarts. The program still ignores them.
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

# The sandbox shows only these folders for temporary files.
case \${TMPDIR:-/tmp}/ in
/tmp/* | /var/tmp/*) ;;
*) export TMPDIR=/tmp ;;
esac

exec 9<"$calls/before-$2" 8<"/proc/$3/stat" 6<"/proc/$$/stat" || exit 125
shift 3
command -v -- "$1" >/dev/null || {
  echo "lockstep: $1: not found; functions and aliases of your shell cannot run in the sandbox" >&2
  exit 127
}

child() { # the first child of a process
  child=
  read -r child _ <"/proc/$1/task/$1/children"
  [ -n "$child" ]
}
ignored() {
  while read -r name ignored; do [ "$name" != SigIgn: ] || break; done <"/proc/$1/status"
}
pass() { # a signal to the program, which ignores the same signals as the first process until it has started
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
each() { # the same signal to all descendants of a process
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
# A background program reads no stdin unless it is redirected.
if [ -e /proc/self/fd/0 ]; then exec 7<&0; else exec 7</dev/null; fi
(
  for signal in $signals; do trap '' "$signal"; done
  exec ${sandbox} "$reset" "$@" <&7 7<&-
) &
sandbox=$!
exec 6<&- 7<&- 9<&-
[ -z "$passed" ] || pass "$passed"

# Ends the program once the shell of the call has ended, whichever process is the parent then.
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
  kill -0 "$sandbox" 2>/dev/null # still running: a signal interrupted the wait
do :; done
if [ -n "$passed" ]; then # the program may have ended at the same time
  wait "$sandbox" 2>/dev/null
  last=$?
  [ "$last" = 127 ] || code=$last
fi
kill -s ALRM "$watch"
exit "$code"
`;
}
