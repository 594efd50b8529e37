import { join } from "node:path";
import { sessionsFolder } from "../../core/names/session-paths.ts";
import { protectedEntryOf } from "../../core/paths/protected-paths.ts";
import type { Scope } from "../../core/paths/scope.ts";
import { findForbidden, findOutside } from "../../core/points/judge-write.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { CommandLimits } from "../../core/shell/judge-command.ts";
import { quoted, shortened } from "../../core/text/quoted.ts";
import type { Changed, Undone } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";
import { listed } from "./answers.ts";
import { limitsOf, limitsWithoutTask, scopeOf } from "./call-limits.ts";
import { wayToWiden } from "./judge-operation.ts";
import type { Judging } from "./judge-task-call.ts";
import { violationOf } from "./refuse-and-record.ts";
import { changedSince } from "./watched-changes.ts";

/** At most this many paths are recorded for one call. */
export const recordedMax = 20;
/** Putting back a changed ignore file can reveal more changed paths, so the comparison is repeated. */
const roundsMax = 3;
const shownMax = 5;

type Worker = Extract<Caller, { kind: "task" | "subagent" }>;

interface Outcome {
  readonly strayed: Set<string>;
  /** By path, why it was not put back. */
  readonly left: Map<string, string>;
  readonly refs: string[];
}

/** Finds changes outside the scope since `name` was remembered, puts them back and records them. */
export async function findStrayed(caller: Worker, name: string, judging: Judging): Promise<Deny | undefined> {
  const { world, settings } = judging;
  const outcome: Outcome = { strayed: new Set(), left: new Map(), refs: [] };
  const limits =
    caller.kind === "task"
      ? limitsOf(caller.holder, judging)
      : limitsWithoutTask(judging, settings.unclaimed);
  const first = await changedSince(name, world, settings);
  let changed = first;
  for (let round = 0; changed !== undefined && round < roundsMax; round += 1) {
    const found = changed.paths.filter((path) => !outcome.strayed.has(path) && strays(path, limits));
    if (found.length === 0) break;
    for (const path of found) outcome.strayed.add(path);
    const isUndone = await undo(found, outcome, { caller, name, judging, changed });
    changed = isUndone ? await changedSince(name, world, settings) : undefined;
  }
  if (first === undefined || outcome.strayed.size === 0) return undefined;
  const verdict = deny("R-PW-001", reasonFor(caller, outcome), {
    paths: [...outcome.strayed].slice(0, recordedMax),
  });
  await record(caller, outcome, judging);
  return verdict;
}

interface Undoing {
  readonly caller: Worker;
  readonly name: string;
  readonly judging: Judging;
  readonly changed: Changed;
}

/** True if anything was put back. */
async function undo(found: readonly string[], { left, refs }: Outcome, undoing: Undoing): Promise<boolean> {
  const { caller, name, judging, changed } = undoing;
  const { store, world } = judging;
  const task = caller.kind === "task" ? caller.holder.key : null;
  // No other agent works in an attempt's own checkout.
  const isShared = world.checkout === undefined;
  const theirs = scopeOf(isShared ? await store.locksSince(changed.sinceMs, task) : [], judging);
  const own: string[] = [];
  for (const path of found) {
    const why = isShared ? whyLeft(path, theirs, judging.settings) : undefined;
    if (why === undefined) own.push(path);
    else left.set(path, why);
  }
  if (own.length === 0 || world.trees === undefined) return false;
  const undone = await world.trees.undo(name, own, task).catch((error: Error) => failedFor(own, error));
  for (const { path, why } of undone.left) left.set(path, why);
  if (undone.ref !== undefined) refs.push(undone.ref);
  return undone.ref !== undefined;
}

/** The finding is reported even if putting back fails. */
function failedFor(paths: readonly string[], { message }: Error): Undone {
  const [line = ""] = message.split("\n");
  return { left: paths.map((path) => ({ path, why: `it could not be put back: ${shortened(line, 160)}` })) };
}

/**
 * Why a path is not put back: its change may be the work of another agent that may write it. This applies to paths in a
 * lock that another task holds or held since the earlier picture, to the sessions folder, where Lockstep itself writes,
 * and with `guard.unclaimed: locked` to every unlocked path, which every agent without a task may write. No agent may
 * write any other path in the project while tasks are active. If two calls overlap, neither undoes permitted writes of
 * the other. The call that ends first puts a forbidden change back; the second finds the path restored and leaves it.
 * A path that is written again between comparison and restore is left too.
 */
function whyLeft(path: string, theirs: Scope, { unclaimed }: Judging["settings"]): string | undefined {
  if (protectedEntryOf(path, { tree: false }) !== undefined) return undefined;
  if (path.startsWith(`${sessionsFolder}/`)) return "Lockstep also writes there";
  const entry = theirs.entryOf(path);
  if (entry !== undefined) return `it is in another task's lock, ${quoted(entry)}`;
  return unclaimed === "locked" ? "with `guard.unclaimed: locked` other agents may write it too" : undefined;
}

/** The reason for the agent: what changed, what was done about it, and the next step. */
function reasonFor(caller: Worker, { strayed, left, refs }: Outcome): string {
  const paths = [...strayed];
  const where = caller.kind === "task" ? "outside the lock scope" : "in the project without a claimed task";
  const kept = refs.map((ref) => quoted(ref, 300)).join(", ");
  const staying = [...left].map(([path, why]) => `${quoted(path)} (${why})`);
  const more = staying.length > shownMax ? `, and ${staying.length - shownMax} more` : "";
  const [path = ""] = paths.filter((one) => !left.has(one));
  return [
    `changed files ${where}: ${listed(paths)}`,
    ...(refs.length === 0 ? [] : [`Lockstep put back the files; the changes are kept on ${kept}`]),
    ...(left.size === 0
      ? []
      : [
          `not put back: ${staying.slice(0, shownMax).join(", ")}${more}; if this call changed it, put it back`,
        ]),
    ...(caller.kind === "task" && path !== ""
      ? [`ask for more scope with \`${wayToWiden(caller.holder.id, path)}\``]
      : []),
  ].join("; ");
}

/** Records each path in the ledger, for a person to review. */
async function record(caller: Worker, { strayed, left, refs }: Outcome, judging: Judging): Promise<void> {
  const kept = refs.length === 0 ? "" : `: put back; the change is kept on ${refs.join(", ")}`;
  for (const target of [...strayed].slice(0, recordedMax)) {
    const why = left.get(target);
    const refusal = deny(
      "R-PW-001",
      `changed outside its scope${why === undefined ? kept : `: not put back, ${why}`}`,
    );
    await judging.store.record(violationOf(caller, judging.call, { kind: "strayed", refusal, target }));
  }
}

/** Judges a path of a compared tree by its name alone: git does not follow links. */
export function strays(path: string, limits: CommandLimits): boolean {
  const root = limits.place.realRoot ?? limits.place.root;
  const target = { resource: join(root, path), wholeTree: false };
  const asNamed = { ...limits, disk: { ...limits.disk, realPath: (absolute: string) => absolute } };
  return findForbidden(target, asNamed) !== undefined || findOutside(target, asNamed) !== undefined;
}
