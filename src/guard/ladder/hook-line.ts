import { shellWord } from "../../core/text/quoted.ts";
import { inShell } from "./seems-active.ts";
import { eventBefore } from "./static-deny.ts";

export interface HookPlace {
  /** The state folder where none is found: in settings that nobody else shares. */
  readonly otherwise?: string;
  /** At the beginning of a session and between calls, for a client that calls over HTTP. */
  readonly how?: "start" | "revive";
}

/**
 * The text of a hook command in a client's settings, for any POSIX shell. It finds the state folder and reads the file
 * `hook` there, which does the rest and ends the shell. It is silent where Lockstep is not installed; where the file is
 * missing or broken it refuses by itself while anything is active. Every client takes exit 2 with a reason on stderr
 * for a refusal.
 */
export function hookLine(client: string, { otherwise, how }: HookPlace = {}): string {
  return [
    otherwise === undefined ? findFolder(client) : nearFolder(client, otherwise),
    `s=\${LOCKSTEP_HOOKS:-$s}; set -- ${[client, how].filter(Boolean).join(" ")}; [ ! -r "$s/hook" ] || . "$s/hook"`,
    how === undefined ? refuse(client) : "cat >/dev/null",
  ].join("; ");
}

/** What each client sets for its hooks; the others' may be inherited, and mean another project. */
const projectVariables: Readonly<Record<string, string>> = {
  claude: "CLAUDE_PROJECT_DIR",
  gemini: "GEMINI_PROJECT_DIR",
  copilot: "COPILOT_PROJECT_DIR",
};

function startFolder(client: string): string {
  const variable = projectVariables[client];
  return variable === undefined ? "$PWD" : `\${${variable}:-$PWD}`;
}

/**
 * As Lockstep itself finds it: the git folder that all worktrees share, or beside what people commit. The second only
 * where there is no git folder above: agents may write to a `.lockstep` that is not at the project's top.
 */
function findFolder(client: string): string {
  return [
    `for n in .git .lockstep/state; do d=${startFolder(client)}`,
    `until [ -z "$d" ] || [ -e "$d/$n" ]; do d=\${d%/*}; done; [ -z "$d" ] || break; done`,
    // In a linked worktree `.git` is a file with one line, `gitdir: FOLDER`.
    `[ ! -f "$d/$n" ] || read -r n <"$d/$n"; n=\${n#gitdir: }; s=$d/$n; case $n in /*) s=$n; esac`,
    `s=\${s%/worktrees/*}; [ ! -d "$s/lockstep" ] || s=$s/lockstep`,
  ].join("; ");
}

/** A repository that was moved or copied with its settings has its own state folder. */
function nearFolder(client: string, otherwise: string): string {
  return `s=${startFolder(client)}/.git/lockstep; [ -d "$s" ] || s=${shellWord(otherwise)}`;
}

/** The payload is always read: a client may fail where nobody takes what it writes. */
function refuse(client: string): string {
  const before = eventBefore(client);
  const reason = "lockstep: the guard cannot be run: let a person run lockstep status";
  const isActive = `p=$(cat); ${inShell.isShown} || [ -n "${inShell.attempt}" ] || exit 0`;
  const deny = `echo '${reason}' >&2; exit 2`;
  return before === "" ? `${isActive}; ${deny}` : `${isActive}; case $p in ''|*${before}*) ${deny}; esac`;
}
