import { sessionsFolder } from "../names/session-paths.ts";
import { type Entry, fileEntry } from "../paths/entry.ts";
import { locate } from "../paths/locate.ts";
import type { Place } from "../paths/place.ts";
import { Scope } from "../paths/scope.ts";
import { field, isLine, isObject } from "../values/fields.ts";
import type { WriteLimits, WriteTarget } from "./judge-write.ts";
import type { Ports } from "./ports.ts";
import { readScope } from "./read-scope.ts";

type WorldPorts = Pick<Ports, "place" | "disk">;

export type LimitsReading =
  | { readonly limits: WriteLimits; readonly lockEntries: readonly Entry[] }
  | { readonly error: string };

/** The paths that the payload's assignment allows to write. The worklog file belongs to the lock. */
export function readLimits(payload: unknown, world: WorldPorts): LimitsReading {
  const assignment = field(payload, "assignment");
  if (!isObject(assignment)) return { error: "`assignment` is missing: give its scopes" };
  const lock = readScope(field(assignment, "lock_scope"), "lock_scope", world);
  if ("error" in lock) return lock;
  const forbidden = readScope(field(assignment, "forbidden_scope"), "forbidden_scope", world);
  if ("error" in forbidden) return forbidden;
  const worklog = readWorklog(field(assignment, "worklog_path"), world.place);
  if ("error" in worklog) return worklog;
  const session = field(payload, "session") ?? worklog.session;
  if (session !== undefined && !isLine(session)) return { error: "`session` is not a name: give a string" };
  return {
    lockEntries: lock.entries,
    limits: {
      ...world,
      lock: new Scope([...lock.entries, ...worklog.entries], world.place),
      forbidden: new Scope(forbidden.entries, world.place),
      session,
    },
  };
}

interface Worklog {
  readonly entries: readonly Entry[];
  readonly session?: string | undefined;
}

/** A worklog path outside the project adds nothing to the lock. */
function readWorklog(value: unknown, place: Place): Worklog | { readonly error: string } {
  if (value === undefined) return { entries: [] };
  if (typeof value !== "string") return { error: "`worklog_path` is not a string" };
  const located = locate(value, place);
  if (located.where !== "inside") return { entries: [] };
  return { entries: [fileEntry(located.path, place)], session: sessionOf(located.path) };
}

/** The session of a task, from its worklog path `.agents-work/<session>/…`. */
function sessionOf(path: string): string | undefined {
  const [folder, session, ...rest] = path.split("/");
  return folder === sessionsFolder && rest.length > 0 ? session : undefined;
}

/** Actions that only add or change a file; any other action may remove it. */
const additions = new Set(
  "add append change chmod create edit insert modify new overwrite patch save touch update write".split(" "),
);

/** Removing or moving a folder writes everything below it, even if it is gone already. */
export function targetOf(resource: string, action: string, world: WorldPorts): WriteTarget {
  const located = locate(resource, world.place);
  if (additions.has(action.trim().toLowerCase()) || located.where !== "inside")
    return { resource, wholeTree: false };
  const kind = world.disk.kindOf(located.absolute);
  return { resource, wholeTree: kind === "folder", maybeTree: kind === "absent" };
}
