import { basename, dirname } from "node:path";
import { askProgram } from "../../clients/process/ask-program.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import type { HttpAccess } from "../../workspace/state/http-access.ts";
import { hookLine } from "../ladder/hook-line.ts";
import { httpHook } from "../ladder/http-hook.ts";
import { canCallOverHttp, httpBlocks, versionIn } from "../ladder/ways-to-ask.ts";
import { type ClientHook, type ClientName, clientSetups } from "./client-setups.ts";
import { configuredHooks } from "./configured-hooks.ts";
import type { Edits } from "./edits.ts";
import { type Machine, programOf } from "./find-clients.ts";
import type { PlannedClient } from "./plan-setup.ts";

interface Choosing {
  readonly machine: Machine;
  readonly edits: Edits;
  readonly shared: boolean;
  /** The repository's own, whether it exists or not. */
  readonly stateFolder: string;
  /** Where and how the repository's server answers HTTP; asked only where a client can use it. */
  access(): Promise<Pick<HttpAccess, "port" | "token">>;
}

/** Which file of a client's gets which hook. */
export async function chooseHook(name: ClientName, choosing: Choosing): Promise<PlannedClient> {
  const { edits, shared, machine } = choosing;
  const { files } = clientSetups[name];
  // Hooks in both files would be called twice.
  const isShared = files.personal === null || shared || hasHooks(name, edits, files.shared);
  const file = isShared ? files.shared : (files.personal ?? files.shared);
  if (isShared || (await isTracked(machine.root, file)))
    return { name, file, hook: { command: hookLine(name) } };
  const hook = await personalHook(name, file, choosing);
  const slower = name === "claude" && hook.http === undefined;
  return { name, file, hook, ...(slower ? { note: slowerNote } : {}) };
}

const slowerNote = `claude's hooks run a command, since no \`claude\` from ${httpBlocks.join(".")} on was found: with one on PATH, \`lockstep init\` makes them quicker (HTTP)`;

/** HTTP only in settings that are nobody else's, since the token stands in them. */
async function personalHook(
  name: ClientName,
  file: string,
  { machine, edits, stateFolder: otherwise, access }: Choosing,
): Promise<ClientHook> {
  const program = programOf(name, machine);
  const version = program === undefined ? undefined : versionIn(await versionOf(program));
  const command = hookLine(name, { otherwise });
  // A client that cannot be asked now is the one that could when these hooks were written.
  const calls = version === undefined ? hasHttp(name, edits.text(file)) : canCallOverHttp(name, version);
  if (!calls) return { command };
  return {
    command,
    http: httpHook(name, await access()),
    start: hookLine(name, { otherwise, how: "start" }),
    revive: hookLine(name, { otherwise, how: "revive" }),
  };
}

async function versionOf(program: string): Promise<string> {
  return (await askProgram([program, "--version"], { passes: [] })).text;
}

function hasHttp(name: ClientName, text: string | null): boolean {
  return text !== null && configuredHooks(name, text)?.http !== undefined;
}

export function hasHooks(name: ClientName, edits: Edits, file: string): boolean {
  const text = edits.text(file);
  if (text === null) return false;
  const bare = clientSetups[name].uninstall(text, file);
  return bare.ok && bare.text !== text;
}

/** Then it is not for one person alone, whatever its name says. */
async function isTracked(root: string, file: string): Promise<boolean> {
  const { stdout } = await tryGit(root, ["ls-files", "--", file]);
  return stdout.length > 0;
}

/** Whether git would offer to commit it. */
export async function isOffered(root: string, file: string): Promise<boolean> {
  const { exit } = await tryGit(root, ["check-ignore", "-q", "--no-index", "--", file]);
  return exit === 1;
}

/** For any folder of the repository: the project need not be at its top. */
export function ignoreLine(file: string): string {
  return `**/${dirname(file)}/${basename(file)}`;
}
