import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { copyName, sessionsFolder } from "../../core/names/session-paths.ts";
import { field } from "../../core/values/fields.ts";
import { readConfigDocument } from "../config/config-document.ts";
import { projectFile, replaceFile } from "../files/replace-file.ts";
import { digestOf, type PlanSource, readPlanSource, writePlanSource } from "./plan-source.ts";
import { makeSessionFolder, sessionOfCopy, sessionsAt } from "./session-folder.ts";
import { withoutProgress } from "./write-statuses.ts";

export interface SessionPlan {
  readonly session: string;
  readonly folder: string;
  /** The session's copy, which Lockstep keeps up to date. */
  readonly file: string;
  readonly isNew: boolean;
  /** The plan differs from the version that the session has. */
  readonly hasChanged: boolean;
}

/**
 * The session that a plan belongs to. A plan outside the session folders is copied into a new session, unless it already
 * has an unfinished session, or a finished one and has not changed since. The plan itself is never written.
 */
export function openSessionPlan(
  root: string,
  file: string,
  {
    again,
    now,
    base,
    taken = new Set(),
  }: {
    readonly again: boolean;
    readonly now: Date;
    /** The branch that a new session stays on. */
    readonly base: string;
    /** Sessions in the ledger: their folder may be deleted while their tasks still exist. */
    readonly taken?: ReadonlySet<string>;
  },
): SessionPlan {
  const path = realpathSync(resolve(root, file));
  const own = sessionOfCopy(path);
  const isOwn = own !== undefined && dirname(path) === join(realpathSync(root), sessionsFolder, own);
  if (isOwn && !again) return placed(root, own, { isNew: false, hasChanged: false });
  const bytes = readFileSync(path);
  const digest = digestOf(bytes);
  const known = again ? undefined : newestOf(root, path);
  if (known !== undefined) {
    const hasChanged = known.source.digest !== digest;
    const plan = placed(root, known.session, { isNew: false, hasChanged });
    const text = bytes.toString("utf8");
    if (existsSync(plan.file) && !(hasChanged && isFinished(plan.file) && !onlyAdds(plan.file, text)))
      return plan;
  }

  const text = bytes.toString("utf8");
  const about = outline(text).name ?? basename(path, extname(path));
  const made = placed(root, makeSessionFolder(root, { about, now, taken }), {
    isNew: true,
    hasChanged: false,
  });
  const origin = isOwn ? readPlanSource(dirname(path)) : undefined;
  // A new session from another session's copy starts without that session's progress.
  replaceFile(made.file, isOwn ? withoutProgress(text) : bytes, projectFile);
  writePlanSource(made.folder, { path, digest, ...origin, opened_at: now.toISOString(), base });
  return made;
}

/** The session that `openSessionPlan` would continue if the plan is unchanged. Creates none. */
export function sessionOfPlan(root: string, file: string): string | undefined {
  const path = realpathSync(resolve(root, file));
  return sessionOfCopy(path) ?? newestOf(root, path)?.session;
}

function placed(
  root: string,
  session: string,
  about: Pick<SessionPlan, "isNew" | "hasChanged">,
): SessionPlan {
  const folder = join(root, sessionsFolder, session);
  return { session, folder, file: join(folder, copyName), ...about };
}

function newestOf(root: string, path: string): { session: string; source: PlanSource } | undefined {
  let newest: { session: string; source: PlanSource } | undefined;
  for (const session of sessionsAt(root)) {
    const source = readPlanSource(join(root, sessionsFolder, session));
    if (source?.path !== path) continue;
    if (newest === undefined || source.opened_at > newest.source.opened_at) newest = { session, source };
  }
  return newest;
}

/** False for a copy that cannot be read: a new session would do everything again, so the user has to fix the copy. */
function isFinished(copy: string): boolean {
  const { statuses } = outline(readFileSync(copy, "utf8"));
  return statuses.length > 0 && statuses.every((status) => status === "completed");
}

/** True if the plan has all tasks of the copy unchanged, and at most new ones in addition. */
function onlyAdds(copy: string, text: string): boolean {
  const read = (plan: string) =>
    new Map(outline(plan).tasks.map((task) => [field(task, "id"), written(task)]));
  const now = read(text);
  return [...read(readFileSync(copy, "utf8"))].every(([id, task]) => now.get(id) === task);
}

function written(task: unknown): string {
  return JSON.stringify(task, (key, value) => (key === "status" ? undefined : value));
}

/** The parts of a plan that can be read before it is checked. */
function outline(text: string): {
  name: string | undefined;
  statuses: unknown[];
  tasks: readonly unknown[];
} {
  const document = readConfigDocument(copyName, text);
  const value = "value" in document ? document.value : undefined;
  const listed = field(value, "tasks");
  const tasks: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const name = field(field(value, "project"), "name");
  return {
    name: typeof name === "string" ? name : undefined,
    statuses: tasks.map((task) => field(task, "status")),
    tasks,
  };
}
