import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolCall } from "../../contract/tool-call.ts";
import { findForbidden } from "../../core/points/judge-write.ts";
import type { CommandLimits } from "../../core/shell/judge-command.ts";
import { shellWord } from "../../core/text/quoted.ts";
import { gitFolderOf, type Project, repositoryTop } from "../../workspace/files/find-project.ts";
import { safeSearchPath } from "../../workspace/process/search-path.ts";
import { sandboxWords } from "../../workspace/sandbox/bubblewrap.ts";
import { findBubblewrap } from "../../workspace/sandbox/find-bubblewrap.ts";
import { SandboxFault } from "../../workspace/sandbox/sandbox.ts";
import { openStateSubfolder } from "../../workspace/state/state-folder.ts";
import { preparedId, readCallFile, sweepCallFiles, writeCallFile } from "../world/call-file.ts";
import { closedPaths, type LockView } from "../world/closed-paths.ts";
import type { CallSandbox } from "../world/guard-world.ts";
import { placeExecScript } from "./exec-script.ts";
import { hookPolicy, objectWords, placeHooks, toolPath } from "./hook-sandbox.ts";
import { lockPolicy } from "./lock-policy.ts";

/** A replaced command: another hook of the same client may see it again. */
interface Prepared {
  readonly command: string;
  readonly session: string | null;
  readonly agent: string | null;
  readonly atMs: number;
}

/** All hooks of one call are run within this time. */
const hooksMsMax = 30_000;

/**
 * Programs of a call are started by `lockstep exec ID PROGRAM …`. The guard writes the `bwrap` options for this call to a
 * file, and a shell script passes them on, so that a command does not start Node.
 */
export function callSandbox(project: Project & { readonly commonFolder: string }): CallSandbox {
  const folder = () => openStateSubfolder(project, "calls");
  return {
    async prepare({ tree, limits, owner, hooks }) {
      const found = await findBubblewrap({ platform: process.platform, path: safeSearchPath() });
      if ("missing" in found) return found;
      try {
        const { place, commonFolder } = project;
        const readOnly = await closedPaths(tree, commonFolder, viewOf(limits));
        const closed = readOnly.closed.map((path) => join(tree, path));
        const root = place.realRoot ?? place.root;
        const checkouts = place.checkouts ?? [];
        const { policy, env } = lockPolicy({ owner, root, commonFolder, tree, closed, checkouts });
        const id = randomBytes(4).toString("hex");
        // Only sometimes: the files are kept for a day.
        if (id.startsWith("0")) sweepCallFiles(folder(), Date.now());
        writeOptions(optionsFile(folder(), id), sandboxWords(policy), env);
        const command = shellWord(
          placeExecScript(openStateSubfolder(project, "bin"), folder(), {
            bwrap: found.program,
            path: toolPath(),
          }),
        );
        if (hooks !== undefined) {
          const file = optionsFile(folder(), `${id}-hook`);
          const gitFolder = gitFolderOf(join(repositoryTop(tree) ?? tree, ".git")) ?? commonFolder;
          const places = { hooks, tree, gitFolder, commonFolder, copy: `${file}.git` };
          const words = [...sandboxWords(hookPolicy(policy, places)), ...objectWords(places)];
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
        ...callerOf(call),
        atMs: Date.now(),
      } satisfies Prepared);
    },
    isPrepared(call) {
      const id = preparedId(call);
      const known = id === undefined ? undefined : readCallFile<Prepared>(recordFile(folder(), id));
      if (known === undefined || call.operation.kind !== "shell") return false;
      if (Date.now() - known.atMs > hooksMsMax) return false; // repeated later, when the lock may have changed
      const { session, agent } = callerOf(call);
      return known.command === call.operation.command && known.session === session && known.agent === agent;
    },
  };
}

function writeOptions(file: string, words: readonly string[], env: Readonly<Record<string, string>>): void {
  const variables = Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]);
  writeFileSync(file, [...words.map(unlessGone), ...variables, ""].join("\0"), { mode: 0o600 });
}

/** A file, for example an editor's temporary one, may be gone when the command starts. */
function unlessGone(word: string, at: number, words: readonly string[]): string {
  const isBind = word === "--ro-bind" || word === "--bind";
  return isBind && words[at + 1] !== "/" ? `${word}-try` : word;
}

function callerOf({ session, actor }: ToolCall): Pick<Prepared, "session" | "agent"> {
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
