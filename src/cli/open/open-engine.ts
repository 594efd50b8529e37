import type { Config } from "../../contract/config.ts";
import { defaultConfig } from "../../contract/default-config.ts";
import { type Clock, shifted } from "../../core/leases/clock.ts";
import { parseIsoTime } from "../../core/points/iso-time.ts";
import { findSecrets } from "../../core/secrets/find-secrets.ts";
import type { Engine, EngineLimits } from "../../engine/change/engine.ts";
import { writeLaunch } from "../../guard/transport/launch-file.ts";
import { showingActive, tidyShownActive } from "../../guard/world/active.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openMemoryLedger } from "../../ledger/sqlite/open-ledger.ts";
import type { ProverContext } from "../../run/landing/checks/open-prover.ts";
import { isRunAlive } from "../../server/is-run-alive.ts";
import { faultLine } from "../../workspace/config/config-fault.ts";
import { type LoadedConfig, loadConfig } from "../../workspace/config/load-config.ts";
import { nodeDisk } from "../../workspace/files/disk.ts";
import { currentFolder, findProject, type Project } from "../../workspace/files/find-project.ts";
import { readRef } from "../../workspace/git/refs.ts";
import { baseRefOf } from "../../workspace/git/repository-state.ts";
import { machineClock } from "../../workspace/process/machine-clock.ts";
import { identityOf, livenessOn } from "../../workspace/process/process-identity.ts";
import { isShownActive } from "../../workspace/state/active-file.ts";
import { showBreaker } from "../../workspace/state/breaker-file.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import {
  keepLedgerUrl,
  knownLedgerUrl,
  ledgerUrl,
  withoutLedgerAccess,
} from "../../workspace/state/ledger-url.ts";
import { openStateFolder, stateFolder } from "../../workspace/state/state-folder.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { machineIn, openProjectLedger, sayWaiting } from "./open-ledger.ts";

export interface Opened extends Disposable {
  readonly engine: Engine;
  readonly project: Project;
  readonly config: Config;
}

interface OpenOptions {
  /** Create the ledger if there is none. Without it, a reader of a missing ledger finds nothing. */
  readonly create?: boolean;
  /** The value of `--now`. */
  readonly now?: string;
  /**
   * What mistakes in the configuration lead to. `warn`, for commands that only look or stop, and `ignore`, for a look
   * before the command itself opens the engine: both use the defaults. Otherwise the command is refused.
   */
  readonly onFaults?: "refuse" | "warn" | "ignore";
}

/** Opens the engine for the project of the current folder. */
export async function openEngine({
  create = false,
  now,
  onFaults = "refuse",
}: OpenOptions = {}): Promise<Opened> {
  if (process.env.LOCKSTEP_SOCKET)
    throw new CommandFault(
      "R-AU-001",
      "LOCKSTEP_SOCKET is set, and this command does not work inside the sandbox: a person has to run it outside",
    );
  const project = findProject(currentFolder());
  const config =
    onFaults === "refuse" ? await readConfig(project) : await readConfigOrDefaults(project, onFaults);
  noteLedgerUrl(project, ledgerUrl(config));
  const ledger = await openLedger(project, create);
  const own = ledger.clock ?? machineClock();
  const clock = now === undefined ? own : clockAt(own, now);
  const machine = machineIn(project);
  const commits = () => commitContext({ project, config, ledger, clock });
  const engine: Engine = {
    ledger,
    clock,
    world: { place: project.place, disk: nodeDisk() },
    limits: limitsOf(config),
    ...(machine === undefined ? {} : { machine }),
    isAlive: livenessOn(machine),
    identityOf: (pid) => identityOf(pid, machine),
    prove: async (commit, command, task) => {
      const context = commits();
      if ("error" in context) return context;
      if (!/^[0-9a-fA-F]{4,64}$/.test(commit)) return { error: `\`${commit}\` is not a commit id` };
      const { proveForTask } = await import("../../run/landing/checks/prove-for-task.ts");
      return proveForTask(context, { commit, command, task });
    },
    judge: async (base, commit, commands) => {
      const context = commits();
      if ("error" in context) return context;
      const { judgeForTask } = await import("../../run/landing/checks/judge-for-task.ts");
      return judgeForTask(context, { place: project.place, base, commit, commands });
    },
    baseCommit: () => readBaseCommit(project, config),
    findSecrets,
    showBreaker: (mode) => showBreaker(project, mode),
    pause: (round) => new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** round, 50))),
  };
  return { engine, project, config, [Symbol.dispose]: () => ledger.close() };
}

/** For checks on commits of callers that do their own merging. */
function commitContext({
  project,
  config,
  ledger,
  clock,
}: Pick<Opened, "project" | "config"> & Pick<Engine, "ledger" | "clock">):
  | ProverContext
  | { readonly error: string } {
  const { place, commonFolder } = project;
  if (commonFolder === undefined)
    return { error: "this is not a git repository, so there is no commit to check" };
  const repository = { root: place.realRoot ?? place.root, commonFolder };
  return { engine: { ledger, clock }, repository, config, onProgress: () => {} };
}

/** The tip of the base; undefined without git or without a commit. */
async function readBaseCommit({ place, commonFolder }: Project, config: Config) {
  if (commonFolder === undefined) return undefined;
  const root = place.realRoot ?? place.root;
  if (config.base_branch === null) return readRef(root, "HEAD");
  return readRef(root, baseRefOf(config.base_branch, config));
}

/** Also updates the files that hooks read when no server answers. */
async function openLedger(project: Project, create: boolean): Promise<Ledger> {
  const isKept = create || hasLedger(project);
  // An orchestrator's session can be active without a ledger.
  if (!isKept && !isShownActive(stateFolder(project))) return openMemoryLedger();
  const folder = openStateFolder(project);
  const ledger = isKept
    ? await openProjectLedger(project, { create, ...sayWaiting })
    : await openMemoryLedger();
  const machine = machineIn(project);
  await tidyShownActive({
    ...{ ledger, clock: ledger.clock ?? machineClock(), folder, isRunAlive: () => isRunAlive(folder) },
    ...(machine === undefined ? {} : { machine }),
  });
  // While work is active, hooks that cannot start Lockstep refuse every call, so every command renews the launch file.
  if (create || isShownActive(folder)) writeLaunch({ folder, root: project.place.root });
  return isKept ? showingActive(ledger, folder) : ledger;
}

/** Removes an active file that is left from ended work: opening the ledger does that. */
export async function tidyActiveOf(project: Project): Promise<void> {
  (await openLedger(project, false)).close();
}

export async function readConfig({ place }: Project): Promise<Config> {
  return configIn(await loadConfig(place.root));
}

let hasWarned = false;

/** The defaults if the configuration has mistakes, which are printed once. The ledger is the one that was used last. */
async function readConfigOrDefaults(project: Project, onFaults: "warn" | "ignore"): Promise<Config> {
  const loaded = await loadConfig(project.place.root);
  if ("config" in loaded) return withoutLedgerAccess(loaded.config);
  if (onFaults === "warn" && !hasWarned) {
    hasWarned = true;
    const lines = loaded.faults.map((fault) => `E-CONFIG: ${faultLine(fault)}`);
    for (const line of [...lines, "until that is fixed, this command uses the defaults"])
      writeAll(2, `lockstep: warning: ${line}\n`);
  }
  const config = structuredClone(defaultConfig);
  return withoutLedgerAccess({
    ...config,
    ledger: { ...config.ledger, url: knownLedgerUrl(project) ?? null },
  });
}

/** Throws if the configuration has faults. */
export function configIn(loaded: LoadedConfig): Config {
  if ("config" in loaded) return withoutLedgerAccess(loaded.config);
  throw new CommandFault("E-CONFIG", loaded.faults.map(faultLine).join("\n"));
}

export function limitsOf({ limits, resources, task_types: types, tests }: Config): EngineLimits {
  const { review_retries: reviewRetries, same_error: sameError, widen, tokens, minutes } = limits;
  const { cost_usd: costUsd, delegation_depth: delegationDepth } = limits;
  const implementers = Object.fromEntries(
    Object.entries(types).flatMap(([type, { agents }]) =>
      agents.implementer === null ? [] : [[type, agents.implementer] as const],
    ),
  );
  return {
    ...{ reviewRetries, sameError, widen, tokens, minutes, costUsd, delegationDepth, resources },
    implementers,
    weakenTests: tests.weaken,
  };
}

/** Hooks do not read the configuration, so they find there where the ledger is. */
function noteLedgerUrl(project: Project, url: string | undefined): void {
  if (url === undefined && knownLedgerUrl(project) === undefined) return;
  keepLedgerUrl(openStateFolder(project), url);
}

function clockAt(clock: Clock, now: string) {
  const at = parseIsoTime(now);
  if (at === undefined) throw new CommandFault("R-WD-002", `\`${now}\` is not an ISO 8601 time`);
  return shifted(clock, at - clock.now().wallMs);
}
