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
  /** The session's copy, which is kept up to date. */
  readonly file: string;
  readonly isNew: boolean;
  /** The plan reads otherwise than when the session took it in. */
  readonly hasChanged: boolean;
}

/**
 * The session that a plan belongs to. A plan elsewhere is copied into a new session, unless it has one that is
 * unfinished, or one that is finished while the plan still reads the same. The plan itself is never written.
 */
export function openSessionPlan(
  root: string,
  file: string,
  {
    again,
    now,
    taken = new Set(),
  }: {
    readonly again: boolean;
    readonly now: Date;
    /** Sessions that the ledger knows: a folder may be gone, and its tasks are not. */
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
  // A session that starts anew from another one's copy has done nothing yet.
  replaceFile(made.file, isOwn ? withoutProgress(text) : bytes, projectFile);
  writePlanSource(made.folder, { path, digest, ...origin, opened_at: now.toISOString() });
  return made;
}

/** The session that `openSessionPlan` would go on with, if the plan has not changed since; makes none. */
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

/** A copy that cannot be read is mended by a person: a new session would do everything twice. */
function isFinished(copy: string): boolean {
  const { statuses } = outline(readFileSync(copy, "utf8"));
  return statuses.length > 0 && statuses.every((status) => status === "completed");
}

/** Every task that is done reads as it did: only the new ones are left to do. */
function onlyAdds(copy: string, text: string): boolean {
  const read = (plan: string) =>
    new Map(outline(plan).tasks.map((task) => [field(task, "id"), written(task)]));
  const now = read(text);
  return [...read(readFileSync(copy, "utf8"))].every(([id, task]) => now.get(id) === task);
}

function written(task: unknown): string {
  return JSON.stringify(task, (key, value) => (key === "status" ? undefined : value));
}

/** As much of a plan as can be told before it is checked. */
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
