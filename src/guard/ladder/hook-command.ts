import { shellWord } from "../../core/points/quoted.ts";
import { guardVariables } from "../guard-endpoint.ts";
import { clientSocket } from "./client-socket.ts";
import { rawStart } from "./raw-form.ts";
import { staticDeny } from "./static-deny.ts";

/** How a hook reaches the guard, the quickest first. */
export type Rung = "http" | "nc" | "node";

export interface HookPlace {
  /** Where it is known; without it the command looks for it. */
  readonly stateFolder?: string;
  /** Taken where that finds none: in settings that nobody else shares. */
  readonly otherwise?: string;
  /** Words that start the Node client, where the state folder cannot be seen: inside the walls. */
  readonly launch?: string;
  /** At the beginning of a session: the server is started though nothing is active. */
  readonly start?: boolean;
}

/** What makes a caller somebody: then the guard is asked though nothing seems to be active. */
const somebody = "$LOCKSTEP_SOCKET$LOCKSTEP_TASK$CLAUDE_AGENT_ROLE$CLAUDE_AGENT_NAME";

/**
 * The text of a hook command, for any POSIX shell. It asks through `nc` where that is the rung, else through the Node
 * client, which also starts the server; where neither gives an answer it refuses by itself while anything is active.
 * It is silent where Lockstep is not installed. `p` is the payload once the shell has read it.
 */
export function hookCommand(client: string, rung: Exclude<Rung, "http">, place: HookPlace = {}): string {
  const { launch, start = false } = place;
  // Only the Node client sees whether the server proves itself.
  const quick = rung === "nc" && !start;
  const wanted = start ? ":" : `[ -n "${somebody}" ]||[ -e "$s/active" ]`;
  const run = launch === undefined ? launching : `${launch} "$@"`;
  return [
    folderFor(client, place),
    `p=;b=;k=$LOCKSTEP_SOCKET;[ -n "$k" ]||[ ! -r "$s/listening" ]||read -r k<"$s/listening"`,
    ...(quick ? [askThroughNetcat(client)] : []),
    // Without a server Node is started only if it has something to say.
    `if ${quick ? "" : '[ -n "$k" ]||'}${wanted};then set -- ${client} ${start ? "start" : '"$b"'}`,
    `if [ -n "$p" ];then printf %s "$p"|{ ${run};};else ${run};fi`,
    // However else the Node client ends, the text goes on.
    "case $? in 0)exit 0;;2)exit 2;esac;fi",
    `[ -n "$p" ]||p=$(cat);[ -n "$LOCKSTEP_SOCKET$LOCKSTEP_TASK" ]||[ -e "$s/active" ]||exit 0`,
    staticDeny(client),
  ].join(";");
}

/**
 * Who has nothing to tell of its environment hands its input straight to `nc`, which saves a process; a server that
 * does not answer has the payload then, and everything is refused. Others send a here-document.
 */
function askThroughNetcat(client: string): string {
  const ask = 'nc -U -N -w 2 "$k';
  const lines = [rawStart + client, ...guardVariables.map((name) => `${name}=$${name}`), "", "$p"];
  return [
    `if [ -O "$k" ];then if [ -z "${somebody}$TMPDIR" ];then a=$(${clientSocket(ask, client)}" 2>/dev/null)&&b=broken`,
    `else p=$(cat);a=$(${ask}" 2>/dev/null <<E\n${lines.join("\n")}\nE\n)&&b=broken;fi`,
    `case $a in 'lockstep/1 '[02]@@*@@*@@end)x=\${a#* };o=\${a#*@@};e=\${o#*@@};o=\${o%%@@*};e=\${e%@@end}`,
    `[ -z "$o" ]||printf '%s\\n' "$o";[ -z "$e" ]||printf '%s\\n' "$e">&2;exit \${x%%@@*};esac;fi`,
  ].join(";");
}

const launching = '[ -r "$s/launch" ]&&. "$s/launch"';

/**
 * Between calls, for clients that call over HTTP and cannot start the server themselves: starts it where it has died.
 * The second line of what it left is its process, so that a shell alone sees whether it lives.
 */
export function reviveCommand(client: string, place: Pick<HookPlace, "stateFolder" | "otherwise">): string {
  return [
    folderFor(client, place),
    `i=;z=Z;[ ! -r "$s/listening" ]||{ read -r k;read -r i;}<"$s/listening"`,
    // One that nobody has buried yet still takes signals.
    `kill -0 "$i" 2>/dev/null&&z=&&[ -r "/proc/$i/stat" ]&&read -r z<"/proc/$i/stat"`,
    `case $z in Z|*') Z '*);;*)exit 0;esac`,
    `set -- ${client} start;${launching};exit 0`,
  ].join(";");
}

function folderFor(
  client: string,
  { stateFolder, otherwise }: Pick<HookPlace, "stateFolder" | "otherwise">,
): string {
  if (stateFolder !== undefined) return `s=${shellWord(stateFolder)}`;
  const found = findFolder(client);
  return otherwise === undefined ? found : `${found};[ -d "$s" ]||s=${shellWord(otherwise)}`;
}

/** What each client sets for its hooks; the others' may be inherited, and mean another project. */
const projectVariables: Readonly<Record<string, string>> = {
  claude: "CLAUDE_PROJECT_DIR",
  gemini: "GEMINI_PROJECT_DIR",
  copilot: "COPILOT_PROJECT_DIR",
};

/** As Lockstep itself finds it: the git folder that all worktrees share, or beside what people commit. */
function findFolder(client: string): string {
  const variable = projectVariables[client];
  return [`r=${variable === undefined ? "$PWD" : `\${${variable}:-$PWD}`}`, ...lookUp].join(";");
}

const lookUp = [
  `d=$r;while [ -n "$d" ]&&[ ! -e "$d/.git" ];do d=\${d%/*};done`,
  `if [ -f "$d/.git" ];then read -r g<"$d/.git";g=\${g#gitdir: };case $g in /*);;*)g=$d/$g;esac;s=\${g%/worktrees/*}/lockstep`,
  `elif [ -n "$d" ];then s=$d/.git/lockstep`,
  `else d=$r;while [ -n "$d" ]&&[ ! -d "$d/.lockstep/state" ];do d=\${d%/*};done;s=$d/.lockstep/state;fi`,
];
