import type { Entry } from "../../core/paths/entry.ts";
import { PathIndex } from "../../core/paths/path-index.ts";
import { protectedShapeOf } from "../../core/paths/protected-paths.ts";
import { readEntries, Scope } from "../../core/paths/scope.ts";
import { entryFrom, literalPrefix, storeShape } from "../../core/paths/stored-shape.ts";
import { allow, type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Attempt, Decision, NewLock } from "../../ledger/ledger.ts";
import { findBreaker } from "../change/breaker.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { checkEpoch, fencedTask, type Loaded, loadTask } from "../change/fence.ts";
import { findSecretPath } from "../change/masked-input.ts";
import { type Settled, settle } from "../change/settle.ts";
import { nextDecisionId } from "./decision-ids.ts";

export interface WidenInput {
  readonly task: string;
  readonly paths: readonly string[];
  readonly why: string;
}

/** Adds scope to a running task: all paths or none, in the commit that checked the overlap. */
export async function widenScope(engine: Engine, input: WidenInput, call: Admitted): Promise<Verdict> {
  const secret = await findSecretPath(input.paths);
  if (secret !== undefined) return secret;
  return settle(engine, { operation: "widen", input, call }, async () => {
    const stopped = await findBreaker(engine, "write");
    if (stopped !== undefined) return { verdict: stopped };
    const found = await findWidened(engine, input.task, call);
    if ("allow" in found) return { verdict: found };
    const wider = await judgeWiden(engine, input, found);
    if ("allow" in wider) return { verdict: wider };
    const mode = call.role === "person" ? "auto" : engine.limits.widen;
    if (wider.entries.length === 0)
      return { verdict: allow({ task_id: input.task, granted: [], held: input.paths }) };
    if (mode === "never")
      return {
        verdict: deny(
          "R-PW-001",
          "tasks cannot get more scope in this project (`limits.widen: never`): submit what you have",
          { task_id: input.task },
        ),
      };
    return mode === "auto" ? grant(engine, wider, call) : ask(engine, { wider, input, call });
  });
}

/** Between attempts, a person decides what the next attempt may write. */
const betweenAttempts: readonly TaskState[] = ["PENDING", "BLOCKED", "REJECTED", "FAILED", "ESCALATED"];

async function findWidened(engine: Engine, key: string, call: Admitted): Promise<Loaded | Deny> {
  const loaded = await loadTask(engine, key);
  const state = loaded?.task.state ?? "IN_PROGRESS";
  if (loaded !== undefined && call.role === "person" && betweenAttempts.includes(state))
    return checkEpoch(engine, key, loaded.attempt, call) ?? loaded;
  const fenced = await fencedTask(engine, key, call);
  if ("allow" in fenced || fenced.task.state === "IN_PROGRESS") return fenced;
  const reason = `task \`${key}\` is ${state}: only work in progress can ask for more scope`;
  return deny("R-ST-001", reason, { task_id: key, state });
}

export interface Wider {
  readonly task: Task;
  /** The attempt that gets the locks now; undefined if the next attempt gets them. */
  readonly attempt: Attempt | undefined;
  /** Entries that the task does not hold yet. */
  readonly entries: readonly Entry[];
  readonly fence: number;
  readonly why: string;
}

export async function judgeWiden(
  engine: Engine,
  { paths, why }: Pick<WidenInput, "paths" | "why">,
  { task, attempt }: Loaded,
): Promise<Wider | Deny> {
  const { ledger, world } = engine;
  const { key } = task;
  if (why.trim() === "") return deny("R-IN-001", "name the reason why the paths are needed: `--why TEXT`");
  const fence = await ledger.fence();
  const read = readEntries(paths, world.place, world.disk);
  if ("error" in read)
    return deny("R-PD-002", `\`${paths[read.index] ?? ""}\` is not a valid scope entry: ${read.error}`, {
      index: read.index,
    });
  if (read.entries.length === 0) return deny("R-PD-002", "name at least one path");
  const closed = findClosed(engine, task, read.entries);
  if (closed !== undefined) return closed;
  const held = new PathIndex();
  const isOver = attempt === undefined || attempt.leaseState === "over";
  for (const entry of isOver ? assigned(engine, task) : await lockedBy(engine, key)) held.add(key, entry);
  const entries = read.entries.filter((entry) => !held.covers(entry));
  if (isOver) return { task, attempt: undefined, entries, fence, why };
  const taken = await findTaken(engine, task, entries);
  return taken ?? { task, attempt, entries, fence, why };
}

/** The scope that the next attempt gets anyway. */
function assigned({ world }: Engine, { assignment }: Task): readonly Entry[] {
  const read = readEntries(assignment?.lock_scope ?? [], world.place, world.disk);
  return "entries" in read ? read.entries : [];
}

async function lockedBy({ ledger }: Engine, key: string): Promise<readonly Entry[]> {
  const own = await ledger.locks({ task: key, active: true });
  return own.flatMap((lock) => (lock.kind === "path" ? [entryFrom(lock.resource, lock.shapes)] : []));
}

/** Forbidden and protected paths stay closed; a scope that contains them is refused as a whole. */
function findClosed({ world }: Engine, task: Task, entries: readonly Entry[]): Deny | undefined {
  const read = readEntries(task.assignment?.forbidden_scope ?? [], world.place, world.disk);
  const forbidden = new Scope("entries" in read ? read.entries : [], world.place);
  for (const entry of entries) {
    const closed =
      forbidden.touching(entry) ??
      entry.shapes
        .map((shape) =>
          protectedShapeOf(shape, { session: task.session ?? undefined, more: world.place.gitFolders }),
        )
        .find((found) => found !== undefined);
    if (closed !== undefined)
      return deny(
        "R-PW-002",
        entry.text === closed
          ? `this task must not write \`${closed}\``
          : `\`${entry.text}\` overlaps \`${closed}\`, which this task must not write`,
        { resource: entry.text, forbidden_scope: closed },
      );
  }
  return undefined;
}

async function findTaken(
  { ledger }: Engine,
  task: Task,
  entries: readonly Entry[],
): Promise<Deny | undefined> {
  const near = await ledger.locksNear(entries.flatMap(({ shapes }) => shapes.map(literalPrefix)));
  const others = new PathIndex();
  for (const lock of near)
    if (lock.task !== task.key) others.add(lock.task, entryFrom(lock.resource, lock.shapes));
  for (const entry of entries) {
    const held = others.overlapping(entry);
    if (held === undefined) continue;
    return deny(
      "R-PD-003",
      entry.text === held.text
        ? `\`${entry.text}\` is locked by task \`${held.owner}\``
        : `\`${entry.text}\` overlaps \`${held.text}\`, which task \`${held.owner}\` holds`,
      {
        task_id: task.key,
        resource: entry.text,
        conflict_task_id: held.owner,
        conflict_resource: held.text,
      },
    );
  }
  return undefined;
}

/**
 * The epoch stays, so that earlier work does not become stale. If no attempt holds locks, the next attempt takes
 * the paths with the rest of its scope.
 */
export async function grant(
  engine: Engine,
  { task, attempt, entries, fence, why }: Wider,
  call: Admitted,
  answered?: Decision,
): Promise<Settled> {
  const draft = new Draft(engine, { by: call, cause: answered === undefined ? "widen" : "decide" });
  const granted = entries.map(({ text }) => text);
  const lock_scope = [...(task.assignment?.lock_scope ?? []), ...granted];
  const widened = {
    ...task,
    assignment: { ...task.assignment, lock_scope },
    granted: [...(task.granted ?? []), ...granted],
  };
  const state = await retryBlocked(draft, widened);
  if (state === task.state) draft.putTask(widened);
  draft.note({ type: "scope.widened", task: task.key, from: null, to: null, data: { granted, why } });
  const take: NewLock[] = entries.map(({ text, shapes }) => ({
    task: task.key,
    epoch: attempt?.epoch ?? 0,
    kind: "path",
    resource: text,
    shapes: shapes.map(storeShape),
    takenAt: draft.at,
  }));
  const decisions = answered === undefined ? [] : [{ ...answered, answeredAt: draft.at }];
  return {
    verdict: allow({ task_id: task.key, state, granted, lock_scope }),
    change: await draft.toChange({
      decisions,
      ...(attempt === undefined ? {} : { take, expect: { fence } }),
    }),
  };
}

/** A task that was blocked because it lacked this scope can continue: its assignment has changed. */
async function retryBlocked(draft: Draft, task: Task): Promise<Task["state"]> {
  if (task.state !== "BLOCKED" || (task.hold?.kind !== "deny" && task.hold?.kind !== "reported"))
    return task.state;
  const moved = await draft.apply(task, { type: "retry", assignmentChanged: true });
  return "allow" in moved ? task.state : moved.state;
}

async function ask(
  engine: Engine,
  { wider, input, call }: { wider: Wider; input: WidenInput; call: Admitted },
): Promise<Settled> {
  const draft = new Draft(engine, { by: call, cause: "widen" });
  const epoch = wider.attempt?.epoch;
  const all = await engine.ledger.decisions();
  const same = all.filter(
    ({ kind, task, data }) =>
      kind === "widen" && task === input.task && JSON.stringify(data?.paths) === JSON.stringify(input.paths),
  );
  const refused = same.find(({ answer, data }) => answer === "refused" && data?.epoch === epoch);
  if (refused !== undefined)
    return {
      verdict: deny(
        "R-PW-001",
        `a person refused this request (${refused.id}): continue without these paths`,
        {
          task_id: input.task,
          decision: refused.id,
        },
      ),
    };
  const pending = same.find(({ state }) => state === "pending");
  const id = pending?.id ?? nextDecisionId(all);
  const next = "continue; a later call, or a repeated request, shows what a person answered";
  const verdict = allow({ task_id: input.task, granted: [], decision: id, next });
  if (pending !== undefined) return { verdict };
  const decision: Decision = {
    id,
    version: 0,
    kind: "widen",
    task: input.task,
    question: `task \`${input.task}\` asks for \`${input.paths.join("`, `")}\`: ${input.why}`,
    options: ["approved", "refused"],
    data: { paths: input.paths, why: input.why, ...(epoch === undefined ? {} : { epoch }) },
    state: "pending",
    answer: null,
    askedAt: draft.at,
    answeredAt: null,
  };
  draft.note({
    type: "decision.asked",
    task: input.task,
    from: null,
    to: null,
    data: { id, paths: input.paths, why: input.why },
  });
  const expect = { tasks: { [input.task]: wider.task.version } };
  return { verdict, change: await draft.toChange({ decisions: [decision], expect }) };
}
