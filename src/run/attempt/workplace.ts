import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentClient } from "../../clients/agent.ts";
import type { Config } from "../../contract/config.ts";
import type { AttemptName } from "../../core/names/ref-names.ts";
import { protectedPaths } from "../../core/paths/protected-paths.ts";
import { readEntries, Scope } from "../../core/paths/scope.ts";
import type { Engine } from "../../engine/engine.ts";
import { type Checkout, CheckoutFault, readRecord, slotOf } from "../../workspace/checkouts/checkout.ts";
import { collectWork } from "../../workspace/checkouts/collect-work.ts";
import { openCheckout } from "../../workspace/checkouts/open-checkout.ts";
import { removeCheckout } from "../../workspace/checkouts/remove-checkout.ts";
import { readName, splitAtZero } from "../../workspace/git/read-diff.ts";
import type { RepositoryState } from "../../workspace/git/repository-state.ts";
import { gitBytes } from "../../workspace/git/run-git.ts";
import type { Sandbox } from "../../workspace/sandbox/sandbox.ts";
import { strictBinds } from "../../workspace/sandbox/strict-binds.ts";
import { type ClientPlace, openClientPlace } from "./client-place.ts";
import type { Dependencies } from "./dependencies.ts";

export interface WorkPlaceOptions {
  readonly repository: RepositoryState;
  readonly config: Config;
  readonly sandbox: Sandbox;
  readonly socket?: string;
  readonly session: string | null;
  readonly task: string;
  readonly attempt: number;
  readonly dependencies: Dependencies;
  readonly world: Engine["world"];
  readonly lockScope: readonly string[];
  readonly client: Pick<AgentClient, "home">;
  /** Nothing of an earlier attempt's checkout is wanted; what it held is kept on refs. */
  readonly isFresh: boolean;
}

/** Where one attempt works: its checkout with its dependencies, and the walls around it. */
export interface WorkPlace extends ClientPlace {
  readonly checkout: Checkout;
  readonly notes: readonly string[];
}

export async function openWorkPlace(
  options: WorkPlaceOptions,
): Promise<WorkPlace | { readonly error: string }> {
  const { repository, config, sandbox, session, task, attempt, dependencies } = options;
  const { root, commonFolder, baseCommit: base } = repository;
  const { include, home } = config.workspace;
  const name = { session, task, attempt };
  const unkept = await keepOld(commonFolder, name);
  if (options.isFresh) await removeOld(commonFolder, name);
  const { checkout, notes } = await openCheckout({ ...name, commonFolder, root, base, include });
  const error = await dependencies.install(checkout.base, checkout.folder);
  if (error !== undefined) return { error };
  const closed = config.sandbox === "strict" ? await outsideLock(options, checkout) : [];
  if ("error" in closed) return closed;
  const place = openClientPlace({
    ...{ sandbox, client: options.client, checkout, root, opened: home },
    readOnly: [
      ...closed,
      ...protectedPaths.filter((path) => path !== ".git").map((path) => join(checkout.folder, path)),
    ],
    ...(options.socket === undefined ? {} : { socket: options.socket }),
  });
  return { ...place, checkout, notes: [...unkept, ...notes] };
}

/** INV-9: what an attempt left that was stopped or killed is on its ref before another one changes it. */
async function keepOld(commonFolder: string, name: AttemptName): Promise<readonly string[]> {
  const old = readRecord(commonFolder, slotOf(commonFolder, name));
  if (old === undefined || old.attempt === name.attempt || !existsSync(old.folder)) return [];
  try {
    await collectWork(old);
    return [];
  } catch (error) {
    if (!(error instanceof CheckoutFault)) throw error;
    return [`what attempt ${old.attempt} left cannot be kept: ${error.message}`];
  }
}

async function removeOld(commonFolder: string, name: AttemptName): Promise<void> {
  const old = readRecord(commonFolder, slotOf(commonFolder, name));
  if (old !== undefined) await removeCheckout(old);
}

/** `sandbox: strict`: what is tracked and lies outside the lock cannot even be written. */
async function outsideLock(
  { world, lockScope }: Pick<WorkPlaceOptions, "world" | "lockScope">,
  { folder, base, commonFolder }: Checkout,
): Promise<readonly string[] | { readonly error: string }> {
  const read = readEntries(lockScope, world.place);
  if ("error" in read) return { error: read.error };
  const lock = new Scope(read.entries, world.place);
  const names = await gitBytes(commonFolder, ["ls-tree", "-r", "-z", "--name-only", "--full-tree", base]);
  const tracked = splitAtZero(names).map((name) => readName(name).path);
  const strict = strictBinds(folder, tracked, {
    inLock: (path) => lock.entryOf(path) !== undefined,
    reaches: (path) => lock.touchingTree(path) !== undefined,
  });
  return "error" in strict ? strict : strict.binds;
}
