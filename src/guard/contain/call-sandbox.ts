import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findForbidden } from "../../core/rules/judge-write.ts";
import type { CommandLimits } from "../../core/shell/judge-command.ts";
import { shellWord } from "../../core/text/quoted.ts";
import { gitFolderOf, type Project, repositoryTop } from "../../workspace/find-project.ts";
import { installFolder } from "../../workspace/install-folder.ts";
import { replaceFile } from "../../workspace/replace-file.ts";
import { wallWords } from "../../workspace/sandbox/bubblewrap.ts";
import { findBubblewrap } from "../../workspace/sandbox/find-bubblewrap.ts";
import { SandboxFault } from "../../workspace/sandbox/sandbox.ts";
import { safeSearchPath } from "../../workspace/search-path.ts";
import { openStateSubfolder } from "../../workspace/state-folder.ts";
import type { CallSandbox } from "../guard-world.ts";
import type { ToolCall } from "../tool-call.ts";
import { preparedId, readCallFile, sweepCallFiles, writeCallFile } from "../trees/call-file.ts";
import { closedPaths, type LockView } from "./closed-paths.ts";
import { hookWalls, objectWords, placeHooks, toolPath } from "./hook-sandbox.ts";
import { lockWalls } from "./lock-walls.ts";

/** What is known of a command that was changed: another hook of the same client may see it once more. */
interface Prepared {
  readonly command: string;
  readonly session: string | null;
  readonly agent: string | null;
  readonly atMs: number;
}

/** All hooks of one call are asked within this time. */
const hooksMsMax = 30_000;

/**
 * Programs of a call are started by `lockstep exec ID PROGRAM …`: the guard writes the options of `bwrap` for this call
 * into a file, and a shell script hands them over, so that a command costs no start of Node.
 */
export function callSandbox(project: Project & { readonly commonFolder: string }): CallSandbox {
  const folder = () => openStateSubfolder(project, "calls");
  return {
    async prepare(tree, limits, hooks) {
      const found = await findBubblewrap({ platform: process.platform, path: safeSearchPath() });
      if ("missing" in found) return found;
      try {
        const { place, commonFolder } = project;
        const readOnly = await closedPaths(tree, commonFolder, viewOf(limits));
        const closed = readOnly.closed.map((path) => join(tree, path));
        const root = place.realRoot ?? place.root;
        const checkouts = place.checkouts ?? [];
        const { walls, env } = lockWalls({ root, commonFolder, tree, closed, checkouts });
        const id = randomBytes(4).toString("hex");
        // Now and then: they are kept for a day.
        if (id.startsWith("0")) sweepCallFiles(folder(), Date.now());
        writeOptions(optionsFile(folder(), id), wallWords(walls), env);
        const command = shellWord(
          placeExec(openStateSubfolder(project, "bin"), folder(), {
            bwrap: found.program,
            path: toolPath(),
          }),
        );
        if (hooks !== undefined) {
          const file = optionsFile(folder(), `${id}-hook`);
          const gitFolder = gitFolderOf(join(repositoryTop(tree) ?? tree, ".git")) ?? commonFolder;
          const places = { hooks, tree, gitFolder, commonFolder, copy: `${file}.git` };
          const words = [...wallWords(hookWalls(walls, places)), ...objectWords(places)];
          writeOptions(file, words, env);
          placeHooks(`${optionsFile(folder(), id)}.hooks`, `${command} exec ${id}-hook`, places);
        }
        return {
          id,
          prefixes: { sandbox: `${command} exec ${id} $$`, hooks: `${command} hooks ${id}` },
          readOnly,
        };
      } catch (error) {
        if (error instanceof SandboxFault) return { missing: error.message };
        throw error;
      }
    },
    remember(id, call, command) {
      writeCallFile(recordFile(folder(), id), {
        command,
        ...whose(call),
        atMs: Date.now(),
      } satisfies Prepared);
    },
    isPrepared(call) {
      const id = preparedId(call);
      const known = id === undefined ? undefined : readCallFile<Prepared>(recordFile(folder(), id));
      if (known === undefined || call.operation.kind !== "shell") return false;
      if (Date.now() - known.atMs > hooksMsMax) return false; // said again later, when the lock may be another one
      const { session, agent } = whose(call);
      return known.command === call.operation.command && known.session === session && known.agent === agent;
    },
  };
}

function writeOptions(file: string, words: readonly string[], env: Readonly<Record<string, string>>): void {
  const variables = Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]);
  writeFileSync(file, [...words.map(unlessGone), ...variables, ""].join("\0"), { mode: 0o600 });
}

/** A file may be gone when the command starts: an editor's, for example. */
function unlessGone(word: string, at: number, words: readonly string[]): string {
  const isBind = word === "--ro-bind" || word === "--bind";
  return isBind && words[at + 1] !== "/" ? `${word}-try` : word;
}

function whose({ session, actor }: ToolCall): Pick<Prepared, "session" | "agent"> {
  return { session, agent: actor.agentId };
}

const optionsFile = (folder: string, id: string) => join(folder, `before-${id}`);
const recordFile = (folder: string, id: string) => `${optionsFile(folder, id)}.json`;

function viewOf(limits: CommandLimits): LockView {
  const { lock, place } = limits;
  const root = place.realRoot ?? place.root;
  const isForbidden = (path: string, wholeTree: boolean) =>
    findForbidden({ resource: join(root, path), wholeTree }, limits) !== undefined;
  return {
    holds: (path) => lock.entryOf(path) !== undefined,
    holdsBelow: (folder) => lock.holdsBelow(folder) || lock.holdsTree(folder),
    reaches: (folder) => lock.touchingTree(folder) !== undefined,
    closes: (path) => isForbidden(path, false),
    closesBelow: (folder) => isForbidden(folder, true),
  };
}

/**
 * The first process of such a sandbox. Descriptor 8 leads to the shell that runs the call: once that has ended, so does
 * everything in here, whoever is the parent by then. Looked at once a second, from a process of its own.
 */
const firstProcess = [
  ...["/bin/sh", "-c"],
  'l() { read -r _ </proc/self/fd/8; }; l || exit 125; while sleep 1; do l || kill -9 -1; done & (exec 8<&- "$@"); exit $?',
  "sh",
];

/** Writes the command `lockstep` that a changed call names; a newer Lockstep writes its own. */
function placeExec(
  folder: string,
  calls: string,
  { bwrap, path }: { readonly bwrap: string; readonly path: string },
): string {
  const file = join(folder, "lockstep");
  const own = [process.execPath, join(installFolder(), "bin", "lockstep.cjs")].map(shellWord).join(" ");
  const start = [bwrap, "--args", "9", "--", ...firstProcess].map(shellWord).join(" ");
  const text = `#!/bin/sh
# Written by Lockstep. \`lockstep exec ID SHELL PROGRAM …\` runs a program of one tool call with no more rights than its
# agent's lock gives, as long as the shell of that process id lives. The file of the ID holds the options of bwrap that
# the guard chose before the call. \`lockstep hooks ID PROGRAM …\` runs a program whose git starts its hooks that way.
calls=${shellWord(calls)}
if [ "$1" = exec ] && [ -r "$calls/before-$2" ]; then
  exec 9<"$calls/before-$2" 8<"/proc/$3/stat" || exit 125
  shift 3
  command -v -- "$1" >/dev/null || {
    echo "lockstep: $1: not found; a function or alias of your shell cannot run inside the lock" >&2
    exit 127
  }
  exec ${start} "$@"
fi
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
exec ${own} "$@"
`;
  if (existsSync(file) && readFileSync(file, "utf8") === text) return file;
  replaceFile(file, text, { mode: 0o700 });
  return file;
}
