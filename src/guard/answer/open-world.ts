import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../../core/leases/clock.ts";
import type { Scope } from "../../core/paths/scope.ts";
import { readRecord } from "../../workspace/checkouts/checkout.ts";
import { nodeDisk } from "../../workspace/files/disk.ts";
import { findProject, type Project } from "../../workspace/files/find-project.ts";
import { mayBeRef } from "../../workspace/files/may-be-ref.ts";
import { machineClock } from "../../workspace/process/machine-clock.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import { openStateSubfolder, stateFolder } from "../../workspace/state/state-folder.ts";
import { checkoutsPath, headsFolder } from "../../workspace/state/state-home.ts";
import { projectVariables } from "../transport/project-variables.ts";
import { checkoutWatch } from "../trees/checkout-watch.ts";
import { mainWatch } from "../trees/main-watch.ts";
import { readGuardSettings } from "../world/guard-settings.ts";
import type {
  CallSandbox,
  GuardSettings,
  GuardStore,
  GuardWorld,
  LoopDetector,
  TreeWatch,
} from "../world/guard-world.ts";

export type Environment = GuardWorld["environment"];

/**
 * The project that a call belongs to. An agent may have changed its folder, so the project that the client names comes
 * before the call's folder. The first one with Lockstep state wins.
 */
export function guardedProject(environment: Environment, folders: readonly string[]): Project {
  const variables = ["LOCKSTEP_ROOT", ...Object.values(projectVariables)];
  const named = variables.flatMap((name) => (name !== null && environment[name]) || []);
  const projects = [...named, ...folders].flatMap((folder) =>
    existsSync(folder) ? [findProject(folder)] : [],
  );
  const known = projects.find((project) => hasLedger(project) || existsSync(stateFolder(project)));
  const [first] = projects;
  if (known !== undefined || first !== undefined) return (known ?? first) as Project;
  throw new Error(`none of the folders that this call names exists: ${folders.join(", ")}`);
}

export interface WorldParts {
  readonly project: Project;
  readonly environment: Environment;
  readonly store: () => Promise<GuardStore | undefined>;
  readonly isRunAlive: () => boolean;
  readonly loops?: LoopDetector;
  /** The clock of a shared ledger. */
  readonly clock?: Clock;
}

/** The world of one call. The disk is read anew for each call. */
export function openWorld(parts: WorldParts): GuardWorld {
  const { project, environment } = parts;
  const { place, commonFolder } = project;
  const checkout = environment.LOCKSTEP_CHECKOUT || undefined;
  const trees = watchFor(project, checkout);
  let read: Promise<GuardSettings> | undefined;
  const settings = () => (read ??= readGuardSettings(place.root, stateFolder(project)));
  const own = { environment, disk: nodeDisk(), scratch: scratchFolders(environment.TMPDIR) };
  return {
    ...own,
    place,
    stateFolder: stateFolder(project),
    headsFolder: headsFolder(project).path,
    checkout,
    closed: [place.root, place.realRoot ?? place.root, ...closedFor(checkout, commonFolder)],
    clock: parts.clock ?? machineClock(),
    mayBeRef: (name) => commonFolder === undefined || mayBeRef(commonFolder, name),
    store: parts.store,
    settings,
    isRunAlive: parts.isRunAlive,
    ...(parts.loops === undefined ? {} : { loops: parts.loops }),
    saveSnapshot: async (session, snapshot) => {
      const { saveSnapshot } = await import("../../workspace/state/save-snapshot.ts");
      return saveSnapshot(project, { session, snapshot, at: new Date() });
    },
    hasOrchestrated: async () => {
      const { root } = await settings();
      return existsSync(join(root === null ? stateFolder(project) : join(place.root, root), "tmp"));
    },
    ...(checkout === undefined || isWritable(stateFolder(project))
      ? {
          orchestrators: async () => {
            const { openOrchestratorLayers } = await import("../orchestrator/layers.ts");
            return openOrchestratorLayers(project, await settings(), own);
          },
        }
      : {}),
    ...(trees === undefined ? {} : { trees }),
    ...(checkout === undefined && commonFolder !== undefined
      ? {
          sandbox: sandboxOf({ ...project, commonFolder }),
          hooks: async (tree: string) => {
            const { activeHooks } = await import("../../workspace/git/active-hooks.ts");
            return activeHooks(tree, commonFolder);
          },
          reachedSetting: async (tree: string, lock: Scope) => {
            const { reachedSetting } = await import("../world/reached-settings.ts");
            return reachedSetting(tree, commonFolder, lock);
          },
        }
      : {}),
  };
}

/** Imported only for the calls that need it. */
function sandboxOf(project: Project & { readonly commonFolder: string }): () => Promise<CallSandbox> {
  return async () => (await import("../contain/call-sandbox.ts")).callSandbox(project);
}

/** The caller's own temporary folder and the system's, each as spelled and with links resolved. */
function scratchFolders(own: string | undefined): readonly string[] {
  const folders = new Set([
    ...(own?.startsWith("/") ? [own.replace(/\/+$/, "") || "/"] : []),
    "/tmp",
    "/var/tmp",
  ]);
  for (const folder of [...folders]) {
    if (folder !== "/" && existsSync(folder)) folders.add(realpathSync(folder));
    else folders.delete(folder);
  }
  return [...folders];
}

/** The folders with all checkouts of this repository's agents. */
function closedFor(checkout: string | undefined, commonFolder: string | undefined): readonly string[] {
  return [
    ...(checkout === undefined ? [] : [dirname(dirname(checkout))]),
    ...(commonFolder === undefined ? [] : [checkoutsPath(commonFolder)]),
  ];
}

/**
 * Undefined inside the sandbox, where nothing outside the checkout can be written: the sandbox and the final comparison
 * protect there.
 */
function watchFor(project: Project, checkout: string | undefined): TreeWatch | undefined {
  const { commonFolder } = project;
  if (commonFolder === undefined) return undefined;
  if (checkout === undefined)
    return mainWatch(
      { gitFolder: commonFolder, checkouts: project.place.checkouts ?? [] },
      { path: join(stateFolder(project), "trees"), open: () => openStateSubfolder(project, "trees") },
    );
  if (!isWritable(join(commonFolder, "objects"))) return undefined;
  const record = readRecord(commonFolder, dirname(checkout));
  return record === undefined ? undefined : checkoutWatch(record);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
