import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../core/leases/process-identity.ts";
import { taskKey } from "../../core/names/task-name.ts";
import { readHostRecord } from "../../server/host-record.ts";
import { listCheckouts } from "../../workspace/checkouts/list-checkouts.ts";
import type { Project } from "../../workspace/files/find-project.ts";
import { isAlive } from "../../workspace/process/process-identity.ts";
import { isShownActive } from "../../workspace/state/active-file.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import { stateFolder } from "../../workspace/state/state-folder.ts";
import { checkoutsPath } from "../../workspace/state/state-home.ts";
import { ask } from "../open/ask.ts";
import { counted } from "../output/table.ts";
import { broken, brokenBy, causeOf, type Finding, off, ok } from "./finding.ts";
import { isWritable } from "./repository.ts";

/** Whether the ledger is intact, and what ended processes left behind. */
export async function examineLedger(project: Project): Promise<readonly Finding[]> {
  if (!hasLedger(project)) return [off("ledger", "there is none yet: the first task creates it", null)];
  const folder = stateFolder(project);
  const wasActive = isShownActive(folder);
  try {
    return [
      await examineStory(),
      ...examineActive(folder, wasActive),
      ...(await examineLeftovers(project, folder)),
    ];
  } catch (error) {
    return [broken("ledger", causeOf(error), "`lockstep audit verify` says what is damaged")];
  }
}

async function examineStory(): Promise<Finding> {
  const verified = await ask("audit-verify", {});
  if ("allow" in verified) return brokenBy("ledger", verified.reason);
  const [first] = verified.problems;
  if (first !== undefined)
    return broken("ledger", first.problem, "`lockstep audit verify` names every broken link");
  const reconciled = await ask("reconcile", {});
  if ("allow" in reconciled) return brokenBy("ledger", reconciled.reason);
  const [problem] = reconciled.problems;
  if (problem !== undefined) {
    const of = problem.task === null ? "" : `${problem.task}: `;
    return broken("ledger", `${of}${problem.problem}`, "`lockstep reconcile` lists every inconsistency");
  }
  return ok(
    "ledger",
    `${counted(reconciled.tasks, "task")}, ${counted(verified.events, "event")}, the hash chain is intact`,
  );
}

/** Opening the ledger removes the active file if nothing is active. */
function examineActive(folder: string, wasActive: boolean): readonly Finding[] {
  if (!wasActive || isShownActive(folder)) return [];
  return [ok("active file", "removed: it was left behind by earlier work")];
}

async function examineLeftovers({ commonFolder }: Project, folder: string): Promise<readonly Finding[]> {
  const stale = [...staleNotes(folder), ...staleHosts(folder)];
  const notes = stale.map((file) =>
    off("leftover", `${file} belongs to a process that has ended`, "nothing to do: the next run removes it"),
  );
  return commonFolder === undefined ? notes : [...(await examineCheckouts(commonFolder)), ...notes];
}

async function examineCheckouts(commonFolder: string): Promise<readonly Finding[]> {
  const place = checkoutsPath(commonFolder);
  if (!existsSync(place) || !isWritable(place)) return []; // reported with the repository
  const checkouts = listCheckouts(commonFolder);
  const status = await ask("status", {});
  if ("allow" in status) return [brokenBy("checkouts", status.reason)];
  const over = new Set(
    status.tasks.filter(({ state }) => state === "MERGED" || state === "FAILED").map(({ key }) => key),
  );
  const old = checkouts.filter(({ checkout }) => checkout !== undefined && over.has(nameOf(checkout)));
  const half = checkouts.filter(({ checkout }) => checkout === undefined);
  if (old.length === 0 && half.length === 0) return [ok("checkouts", counted(checkouts.length, "checkout"))];
  const detail = [
    ...(old.length === 0 ? [] : [`${counted(old.length, "checkout")} of finished tasks`]),
    ...(half.length === 0 ? [] : [counted(half.length, "incomplete checkout")]),
  ];
  return [
    off("checkouts", detail.join(", "), "the next run removes them; `lockstep status --disk` lists them"),
  ];
}

function nameOf({ session, task }: { readonly session: string | null; readonly task: string }): string {
  return taskKey(session, task);
}

function staleNotes(folder: string): readonly string[] {
  const joined = join(folder, "joined");
  if (!existsSync(joined)) return [];
  const names = readdirSync(joined).filter((name) => name.endsWith(".json"));
  return names.map((name) => join(joined, name)).filter((file) => !isLiving(file));
}

/** An incomplete file, or one that was removed in the meantime, belongs to no process. */
function isLiving(file: string): boolean {
  try {
    return isAlive(JSON.parse(readFileSync(file, "utf8")) as ProcessIdentity);
  } catch {
    return false;
  }
}

function staleHosts(folder: string): readonly string[] {
  return (["host", "serve"] as const).flatMap((role) => {
    const record = readHostRecord(folder, role);
    return record === undefined || isAlive(record) ? [] : [join(folder, `${role}.json`)];
  });
}
