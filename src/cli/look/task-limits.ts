import { readEntries, Scope } from "../../core/paths/scope.ts";
import { entryFrom } from "../../core/paths/stored-shape.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import type { Lock } from "../../ledger/ledger.ts";
import { findTask } from "../open/find-task.ts";
import { openEngine } from "../open/open-engine.ts";

/** What a task may write, according to its locks and those of other tasks. */
export async function taskLimits(
  name: string,
): Promise<Deny | { lock: Scope; others: Scope; forbidden: Scope; session?: string }> {
  using opened = await openEngine({ onFaults: "warn" });
  const { ledger, world } = opened.engine;
  const task = await findTask(opened.engine, name);
  const locks = (await ledger.locks({ active: true })).filter(({ kind }) => kind === "path");
  const scopeOf = (held: readonly Lock[]) =>
    new Scope(
      held.map(({ resource, shapes }) => entryFrom(resource, shapes)),
      world.place,
    );
  const forbidden = readEntries(task.assignment?.forbidden_scope ?? [], world.place, world.disk);
  return {
    lock: scopeOf(locks.filter((lock) => lock.task === task.key)),
    others: scopeOf(locks.filter((lock) => lock.task !== task.key)),
    forbidden: new Scope("entries" in forbidden ? forbidden.entries : [], world.place),
    ...(task.session === null ? {} : { session: task.session }),
  };
}
