import type { ClientName } from "../../contract/client-names.ts";
import { shellWord } from "../../core/text/quoted.ts";
import { projectVariables } from "./project-variables.ts";
import { inShell } from "./seems-active.ts";
import { eventBefore } from "./static-deny.ts";

export interface HookPlace {
  /** The state folder to use if none is found; only in settings that belong to one user. */
  readonly otherwise?: string;
  /** At the start of a session and between calls, for a client that calls over HTTP. */
  readonly how?: "start" | "revive";
}

/**
 * The hook command in a client's settings, for any POSIX shell. It finds the state folder and sources the file `hook`
 * there, which does the rest and exits. It does nothing if Lockstep is not installed. If the file is missing or broken,
 * the line itself refuses calls while anything is active. Every client treats exit 2 with a reason on stderr as a
 * refusal.
 */
export function hookLine(client: ClientName, { otherwise, how }: HookPlace = {}): string {
  return [
    otherwise === undefined ? findFolder(client) : nearFolder(client, otherwise),
    `s=\${LOCKSTEP_HOOKS:-$s}; set -- ${[client, how].filter(Boolean).join(" ")}; [ ! -r "$s/hook" ] || . "$s/hook"`,
    how === undefined ? refuse(client) : "cat >/dev/null",
  ].join("; ");
}

/** Variables of other clients may be inherited and name another project. */
function startFolder(client: ClientName): string {
  const variable = projectVariables[client];
  return variable === null ? "$PWD" : `\${${variable}:-$PWD}`;
}

/**
 * Finds the folder like Lockstep itself: git's folder, which all worktrees share, or `.lockstep/state`. The second is used
 * only if there is no git folder above, because agents may write to a `.lockstep` below the project's root.
 */
function findFolder(client: ClientName): string {
  return [
    `for n in .git .lockstep/state; do d=${startFolder(client)}`,
    `until [ -z "$d" ] || [ -e "$d/$n" ]; do d=\${d%/*}; done; [ -z "$d" ] || break; done`,
    // In a linked worktree `.git` is a file with one line, `gitdir: FOLDER`.
    `[ ! -f "$d/$n" ] || read -r n <"$d/$n"; n=\${n#gitdir: }; s=$d/$n; case $n in /*) s=$n; esac`,
    `s=\${s%/worktrees/*}; [ ! -d "$s/lockstep" ] || s=$s/lockstep`,
  ].join("; ");
}

/** A repository that was moved or copied together with its settings has its own state folder. */
function nearFolder(client: ClientName, otherwise: string): string {
  return `s=${startFolder(client)}/.git/lockstep; [ -d "$s" ] || s=${shellWord(otherwise)}`;
}

/** The payload is always read, because a client may fail if its output is not read. */
function refuse(client: ClientName): string {
  const before = eventBefore(client);
  const reason = "lockstep: the guard cannot be run: let a person run lockstep status";
  const isActive = `p=$(cat); ${inShell.isShown} || [ -n "${inShell.attempt}" ] || exit 0`;
  const deny = `echo '${reason}' >&2; exit 2`;
  return before === "" ? `${isActive}; ${deny}` : `${isActive}; case $p in ''|*${before}*) ${deny}; esac`;
}
