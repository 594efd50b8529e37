import { basename, dirname } from "node:path";
import { askProgram } from "../../clients/process/ask-program.ts";
import type { ClientName } from "../../contract/client-names.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import type { HttpAccess } from "../../workspace/state/http-access.ts";
import { hookLine } from "../transport/hook-line.ts";
import { httpHook } from "../transport/http-hook.ts";
import { canCallOverHttp, httpBlocks, versionIn } from "../transport/ways-to-ask.ts";
import { type ClientHook, clientSetups } from "./client-setups.ts";
import { configuredHooks } from "./configured-hooks.ts";
import type { Edits } from "./edits.ts";
import { type Machine, programOf } from "./find-clients.ts";
import type { PlannedClient } from "./plan-setup.ts";

interface Choosing {
  readonly machine: Machine;
  readonly edits: Edits;
  readonly shared: boolean;
  /** The repository's state folder, which need not exist. */
  readonly stateFolder: string;
  /** Port and token of the repository's server. Called only if a client can use HTTP. */
  access(): Promise<Pick<HttpAccess, "port" | "token">>;
}

/** Chooses the settings file and the hook for a client. */
export async function chooseHook(name: ClientName, choosing: Choosing): Promise<PlannedClient> {
  const { edits, shared, machine } = choosing;
  const { files } = clientSetups[name];
  // Hooks in both files would run twice.
  const isShared = files.personal === null || shared || hasHooks(name, edits, files.shared);
  const file = isShared ? files.shared : (files.personal ?? files.shared);
  if (isShared || (await isTracked(machine.root, file)))
    return { name, file, hook: { command: hookLine(name) } };
  const hook = await personalHook(name, file, choosing);
  const slower = name === "claude" && hook.http === undefined;
  return { name, file, hook, ...(slower ? { note: slowerNote } : {}) };
}

const slowerNote = `claude's hooks run a command, because no \`claude\` ${httpBlocks.join(".")} or newer was found: put one on PATH and run \`lockstep init\` again for faster hooks (HTTP)`;

/** HTTP is used only in settings of a single user, because the token is in them. */
async function personalHook(
  name: ClientName,
  file: string,
  { machine, edits, stateFolder: otherwise, access }: Choosing,
): Promise<ClientHook> {
  const program = programOf(name, machine);
  const version = program === undefined ? undefined : versionIn(await versionOf(program));
  const command = hookLine(name, { otherwise });
  // If the version cannot be read now, the existing hooks show what the client supports.
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

/** A tracked file is shared, whatever its name says. */
async function isTracked(root: string, file: string): Promise<boolean> {
  const { stdout } = await tryGit(root, ["ls-files", "--", file]);
  return stdout.length > 0;
}

/** Whether git would show the file as untracked. */
export async function isOffered(root: string, file: string): Promise<boolean> {
  const { exit } = await tryGit(root, ["check-ignore", "-q", "--no-index", "--", file]);
  return exit === 1;
}

/** Matches in any folder of the repository, because the project need not be at its root. */
export function ignoreLine(file: string): string {
  return `**/${dirname(file)}/${basename(file)}`;
}
