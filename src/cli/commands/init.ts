import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type ClientName, clientNames } from "../../contract/client-names.ts";
import type { Config } from "../../contract/config.ts";
import { nearestName } from "../../core/names/nearest-name.ts";
import { chooseHook, hasHooks, ignoreLine, isOffered } from "../../guard/setup/choose-hooks.ts";
import { clientSetups } from "../../guard/setup/client-setups.ts";
import { codexHome } from "../../guard/setup/codex-hooks.ts";
import { type Edit, Edits } from "../../guard/setup/edits.ts";
import { findClients, findTraces, type Machine } from "../../guard/setup/find-clients.ts";
import { findDistrust } from "../../guard/setup/folder-trust.ts";
import { planRemoval } from "../../guard/setup/plan-removal.ts";
import { type PlannedClient, planSetup } from "../../guard/setup/plan-setup.ts";
import { showDiff, shownName } from "../../guard/setup/show-diff.ts";
import { expectReadable, planDistrust, trustCodexHooks, userFile } from "../../guard/setup/trust-codex.ts";
import { type Places, readSettings, writeEdits } from "../../guard/setup/write-edits.ts";
import { writeLaunch } from "../../guard/transport/launch-file.ts";
import { readMachine } from "../../guard/transport/ways-to-ask.ts";
import { faultLine } from "../../workspace/config/config-fault.ts";
import { loadConfig } from "../../workspace/config/load-config.ts";
import { currentFolder, findProject, type Project } from "../../workspace/files/find-project.ts";
import { whyBare } from "../../workspace/git/repository-state.ts";
import { openHttpAccess, readHttpAccess } from "../../workspace/state/http-access.ts";
import { openStateFolder, stateFolder } from "../../workspace/state/state-folder.ts";
import { retireServer } from "../hook/retire-server.ts";
import { needPlace } from "../open/need-place.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { coloured } from "../output/style.ts";

interface InitOptions {
  readonly client?: readonly string[];
  readonly shared?: boolean;
  readonly orchestrator?: boolean;
  readonly roles?: boolean;
  readonly dryRun?: boolean;
  readonly remove?: boolean;
}

interface Ground {
  readonly project: Project;
  readonly machine: Machine;
  readonly places: Places;
  readonly edits: Edits;
}

/** `lockstep init`: writes the configuration and the clients' settings; all are computed before any is written. */
export async function initCommand(options: InitOptions): Promise<number> {
  const project = findProject(currentFolder());
  const { root } = project.place;
  await refuseBare(project);
  if (options.remove !== true) await needPlace();
  const machine = { root, home: homedir(), path: process.env.PATH ?? "" };
  const further = [codexHome(), ...(project.commonFolder === undefined ? [] : [project.commonFolder])];
  const places = { root, home: machine.home, further };
  const ground = { project, machine, places, edits: new Edits((file) => readSettings(file, places)) };
  const named = options.client?.map(clientNamed);
  return options.remove === true ? remove(ground, named, options) : setUp(ground, named, options);
}

/** A bare repository has no files, and `init` would write into git's own folder. */
async function refuseBare(project: Project): Promise<void> {
  const error = await whyBare(project.place.realRoot ?? project.place.root);
  if (error !== undefined) throw new CommandFault("R-IN-001", error);
}

async function setUp(ground: Ground, named: readonly ClientName[] | undefined, options: InitOptions) {
  const { project, machine, places, edits } = ground;
  const { dryRun = false, shared = false, orchestrator = false, roles = false } = options;
  const config = await readConfig(machine.root);
  const secret: { token?: string } = {};
  const access = async () => {
    const found = dryRun ? previewAccess(project) : await openHttpAccess(openStateFolder(project));
    secret.token = found.token;
    return found;
  };
  const clients: PlannedClient[] = [];
  for (const name of named ?? findClients(machine))
    clients.push(
      await chooseHook(name, { machine, edits, shared, stateFolder: stateFolder(project), access }),
    );
  for (const { name, file } of clients) leaveOther(edits, name, file);
  planSetup(edits, {
    ...{ clients, orchestrator, roles },
    wrappers: config.guard.root === ".claude/context",
    exclude: await planExclude(ground, clients),
  });
  const codex = clients.find(({ name }) => name === "codex");
  if (codex !== undefined) expectReadable(edits);
  const changes = edits.all();
  if (dryRun) {
    if (codex !== undefined)
      writeAll(2, `lockstep: codex's hooks would be trusted in ${shownName(userFile(), machine)}\n`);
    return preview(ground, changes, secret.token);
  }
  writeEdits(changes, places, secret.token);
  writeLaunch({ folder: openStateFolder(project), root: machine.root }, { machine: readMachine() });
  const trusted =
    codex === undefined
      ? { changed: false, notes: [] }
      : await trustCodexHooks(machine, { command: codex.hook.command, places });
  const files = [
    ...changes.map(wordFor(ground)),
    ...(trusted.changed ? [`changed  ${shownName(userFile(), machine)}`] : []),
  ];
  const hasNothing = clients.length === 0 && files.length === 0;
  const traces = named === undefined ? tracesOf(machine) : [];
  const notes = hasNothing ? traces : [...notesOn(clients, machine), ...traces];
  const nothing = hasNothing ? `nothing to change: ${noClient}` : "everything is already set up";
  tell(files, [...notes, ...trusted.notes], nothing);
  return 0;
}

async function remove(ground: Ground, named: readonly ClientName[] | undefined, { dryRun }: InitOptions) {
  const { project, machine, places, edits } = ground;
  const clients = named ?? clientNames;
  const kept = planRemoval(edits, {
    clients,
    whole: named === undefined,
    exclude: excludeFile(project),
  });
  if (clients.includes("codex")) planDistrust(edits, machine.root);
  const changes = edits.all();
  if (dryRun === true) return preview(ground, changes, readAccess(project)?.token);
  writeEdits(changes, places, undefined);
  const left = named === undefined ? await retireServer(project) : [];
  const notes = [...kept.map((file) => `kept ${file}: it differs from what \`init\` writes`), ...left];
  tell(changes.map(wordFor(ground)), notes, "there is nothing to remove that `init` wrote");
  return 0;
}

function clientNamed(name: string): ClientName {
  const known = clientNames.find((client) => client === name);
  if (known !== undefined) return known;
  const near = nearestName(name, clientNames);
  const remedy = near === undefined ? `name one of ${clientNames.join(", ")}` : `did you mean \`${near}\`?`;
  throw new CommandFault("R-IN-001", `\`${name}\` is not a client that Lockstep knows: ${remedy}`);
}

async function readConfig(root: string): Promise<Config> {
  const loaded = await loadConfig(root);
  if ("config" in loaded) return loaded.config;
  throw new CommandFault("E-CONFIG", loaded.faults.map(faultLine).join("\n"));
}

/** Hooks that move to a client's other file are removed from the first, or they would be called twice. */
function leaveOther(edits: Edits, name: ClientName, file: string): void {
  const { files, uninstall } = clientSetups[name];
  for (const other of [files.personal, files.shared])
    if (other !== null && other !== file && hasHooks(name, edits, other))
      edits.change(other, (text) => (text === null ? null : uninstall(text, other)));
}

/** Excludes personal settings from git, because they may contain a token. */
async function planExclude({ project, machine, edits }: Ground, clients: readonly PlannedClient[]) {
  const file = excludeFile(project);
  if (file === undefined) return undefined;
  const lines: string[] = [];
  for (const { name, file: settings } of clients)
    if (settings === clientSetups[name].files.personal && (await isOffered(machine.root, settings)))
      lines.push(ignoreLine(settings));
  const isThere = lines.every((line) => edits.text(file)?.includes(line) === true);
  return isThere ? undefined : { file, lines };
}

function excludeFile({ commonFolder }: Project): string | undefined {
  return commonFolder === undefined ? undefined : join(commonFolder, "info", "exclude");
}

/** A preview writes nothing, not even a token. */
function previewAccess(project: Project): { readonly port: number; readonly token: string } {
  return readAccess(project) ?? { port: 0, token: "…" };
}

function readAccess(project: Project) {
  const folder = stateFolder(project);
  return existsSync(folder) ? readHttpAccess(folder) : undefined;
}

async function preview({ machine }: Ground, changes: readonly Edit[], secret: string | undefined) {
  if (changes.length === 0) tell([], [], "nothing would change");
  else writeAll(1, await showDiff(changes, { ...machine, secret, colour: coloured }));
  return 0;
}

function wordFor({ machine }: Ground): (edit: Edit) => string {
  return ({ file, before, after }) => {
    const word = before === null ? "created" : after === null ? "removed" : "changed";
    return `${word}  ${shownName(file, machine)}`;
  };
}

function tracesOf(machine: Machine): readonly string[] {
  const traces = findTraces(machine);
  if (traces.length === 0) return [];
  return [
    `no hooks were written for ${traces.join(", ")}: only a folder in your home was found; if you use ${traces.length === 1 ? "it" : "one"}, run \`lockstep init --client ${traces[0]}\``,
  ];
}

const noClient = `no client was found: name one with \`--client\`: ${clientNames.join(", ")}`;

function notesOn(clients: readonly PlannedClient[], machine: Machine): readonly string[] {
  const names = clients.map(({ name }) => name);
  const isDouble = clients.some(({ file }) => file === clientSetups.claude.files.shared);
  const skipping = names.flatMap((name) => findDistrust(name, machine) ?? []);
  const topOnly = names.filter((name) => clientSetups[name].onlyAtRoot);
  return [
    ...(clients.length === 0 ? [noClient] : []),
    ...(isDouble && names.includes("copilot")
      ? ["copilot reads .claude/settings.json too, so its calls are judged twice"]
      : []),
    ...skipping.map(({ why, fix }) => `NOT ENFORCED YET: ${why}: ${fix}`),
    ...clients.flatMap(({ note }) => note ?? []),
    ...topOnly.map((name) => `${name} reads these hooks only if it is started in ${machine.root} itself`),
    ...(clients.length > 0 ? ["`lockstep doctor` tests whether the hooks work"] : []),
  ];
}

function tell(files: readonly string[], notes: readonly string[], nothing: string): void {
  writeAll(1, files.length === 0 ? `${nothing}\n` : `${files.join("\n")}\n`);
  for (const note of notes) writeAll(2, `lockstep: ${note}\n`);
}
