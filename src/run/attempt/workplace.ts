import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { AttemptName } from "../../core/names/ref-names.ts";
import { protectedPaths } from "../../core/paths/protected-paths.ts";
import { readEntries, Scope } from "../../core/paths/scope.ts";
import { type Checkout, CheckoutFault, readRecord, slotOf } from "../../workspace/checkouts/checkout.ts";
import { collectWork } from "../../workspace/checkouts/collect-work.ts";
import { makeCheckout } from "../../workspace/checkouts/make-checkout.ts";
import { openCheckout } from "../../workspace/checkouts/open-checkout.ts";
import { takeSlot } from "../../workspace/checkouts/proof-slot.ts";
import { removeCheckout } from "../../workspace/checkouts/remove-checkout.ts";
import { restoreSession } from "../../workspace/checkouts/session-folder.ts";
import { removeFolder } from "../../workspace/files/remove-folder.ts";
import { readName, splitAtZero } from "../../workspace/git/read-diff.ts";
import { gitBytes } from "../../workspace/git/run-git.ts";
import { strictBinds } from "../../workspace/sandbox/strict-binds.ts";
import { checkoutsFolder } from "../../workspace/state/state-home.ts";
import type { Agent } from "./agents.ts";
import { type ClientPlace, openClientPlace } from "./client-place.ts";
import type { Purpose } from "./purposes.ts";
import type { RunContext } from "./run-context.ts";

/** An agent's checkout, with its dependencies, in the sandbox. */
export interface Workplace extends ClientPlace {
  readonly checkout: Checkout;
  readonly notes: readonly string[];
}

export interface WorkplaceOptions {
  readonly task: string;
  readonly attempt: number;
  readonly agent: Agent;
  /** The base of the work, and the commit that is checked out. */
  readonly base: string;
  readonly commit: string;
  readonly lockScope: readonly string[];
  /** Start with a new checkout. The content of an earlier one is kept on refs. */
  readonly isFresh: boolean;
  /** Whether the agent has a task of its own, and so access to the ledger. */
  readonly hasTask: boolean;
}

export function openWorkplace(
  context: RunContext,
  { place }: Pick<Purpose, "place">,
  options: WorkplaceOptions,
): Promise<Workplace & Disposable> {
  return place === "own" ? openOwn(context, options) : openCopy(context, options);
}

/** Opens the task's own checkout, which stays for the next attempt and for people. */
async function openOwn(context: RunContext, options: WorkplaceOptions): Promise<Workplace & Disposable> {
  const { repository, config, session } = context;
  const { root, commonFolder } = repository;
  const { task, attempt, base } = options;
  const name = { session, task, attempt };
  const unkept = await keepOld(commonFolder, name);
  const unremoved = options.isFresh ? await removeOld(commonFolder, name) : [];
  const { include } = config.workspace;
  const { checkout, notes } = await openCheckout({
    ...{ ...name, commonFolder, root, base, include },
    isContained: context.sandbox.enforces,
  });
  const missing = await context.dependencies.install(checkout.base, checkout.folder);
  if (missing !== undefined) throw cannotBeSetUp(missing);
  const closed = config.sandbox === "strict" ? await outsideLock(context, options, checkout) : [];
  const kept = protectedPaths.filter((path) => path !== ".git").map((path) => join(checkout.folder, path));
  const place = placeIn(context, options, { checkout, readOnly: [...closed, ...kept] });
  return { ...place, checkout, notes: [...unkept, ...unremoved, ...notes], [Symbol.dispose]: () => {} };
}

/** Opens a checkout that is deleted afterwards with everything in it. */
async function openCopy(context: RunContext, options: WorkplaceOptions): Promise<Workplace & Disposable> {
  const { repository, config, session } = context;
  const { root, commonFolder } = repository;
  const { task, attempt, base, agent } = options;
  const slot = takeSlot(join(realpathSync(checkoutsFolder(commonFolder)), "reviews"));
  const close = () => {
    for (const name of ["tree", "tmp", "making", "homes", "bin"]) removeFolder(join(slot.folder, name));
    slot[Symbol.dispose]();
  };
  try {
    for (const name of ["tree", "tmp"]) removeFolder(join(slot.folder, name));
    const checkout = await makeCheckout({
      ...{ commonFolder, root, slot: slot.folder, name: { session, task, attempt } },
      ...{ base, start: options.commit, include: config.workspace.include },
      isContained: false,
    });
    const missing = await context.dependencies.install(base, checkout.folder);
    const place = placeIn(context, options, { checkout, readOnly: [join(checkout.folder, ".git")] });
    return {
      ...place,
      checkout,
      notes: missing === undefined ? [] : [`the dependencies cannot be installed: ${missing}`],
      wrap: (command, env) =>
        place.wrap(agent.isClient ? command : command.map((word) => fromRoot(root, word)), env),
      [Symbol.dispose]: close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function placeIn(
  { sandbox, repository: { root }, config, socket }: RunContext,
  { agent, hasTask }: WorkplaceOptions,
  { checkout, readOnly }: { readonly checkout: Checkout; readonly readOnly: readonly string[] },
): ClientPlace {
  return openClientPlace({
    ...{ sandbox, client: agent.client, checkout, root, opened: config.workspace.home, readOnly },
    ...(socket === undefined || !hasTask ? {} : { socket }),
  });
}

function cannotBeSetUp(why: string): Error {
  return new Error(`the checkout cannot be set up: ${why}`);
}

/** A reviewing program runs from the main checkout, so that the reviewed work cannot replace it. */
function fromRoot(root: string, word: string): string {
  if (isAbsolute(word) || !statSync(join(root, word), { throwIfNoEntry: false })?.isFile()) return word;
  return join(root, word);
}

/** Keeps the work of an attempt that was stopped or killed on a ref before the next one changes it (INV-9). */
async function keepOld(commonFolder: string, name: AttemptName): Promise<readonly string[]> {
  const old = readRecord(commonFolder, slotOf(commonFolder, name));
  if (old === undefined || old.attempt === name.attempt || !existsSync(old.folder)) return [];
  try {
    await collectWork(old);
    return await restoreSession(old);
  } catch (error) {
    return [`the work of attempt ${old.attempt} cannot be kept: ${faultText(error)}`];
  }
}

/** A checkout that cannot be removed stays, and the attempt works in it: its agent can remove what the message names. */
async function removeOld(commonFolder: string, name: AttemptName): Promise<readonly string[]> {
  const old = readRecord(commonFolder, slotOf(commonFolder, name));
  if (old === undefined) return [];
  try {
    await removeCheckout(old);
    return [];
  } catch (error) {
    return [
      `the checkout of attempt ${old.attempt} cannot be removed and is used again: ${faultText(error)}`,
    ];
  }
}

/** What is wrong with a checkout; other errors are thrown again. */
function faultText(error: unknown): string {
  if (error instanceof CheckoutFault) return error.message;
  throw error;
}

/** With `sandbox: strict`, tracked files outside the lock are read-only. */
async function outsideLock(
  { engine: { world } }: RunContext,
  { lockScope }: Pick<WorkplaceOptions, "lockScope">,
  { folder, base, commonFolder }: Checkout,
): Promise<readonly string[]> {
  const read = readEntries(lockScope, world.place);
  if ("error" in read) throw cannotBeSetUp(read.error);
  const lock = new Scope(read.entries, world.place);
  const names = await gitBytes(commonFolder, ["ls-tree", "-r", "-z", "--name-only", "--full-tree", base]);
  const tracked = splitAtZero(names).map((name) => readName(name).path);
  const strict = strictBinds(folder, tracked, {
    inLock: (path) => lock.entryOf(path) !== undefined,
    reaches: (path) => lock.touchingTree(path) !== undefined,
  });
  if ("error" in strict) throw cannotBeSetUp(strict.error);
  return strict.binds;
}
