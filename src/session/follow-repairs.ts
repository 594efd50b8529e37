import { idOfKey } from "../core/names/task-name.ts";
import { repairsOf } from "../core/session/session.ts";
import { type RepairLoop, repairsMax } from "../core/session/states.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import type { SessionContext } from "./session-context.ts";

const loops: Readonly<Record<string, RepairLoop>> = {
  Reviewer: "FIX_REVIEW",
  QA: "FIX_TESTS",
  Security: "FIX_SECURITY",
};

/** A task that is rejected is a repair of the session's, until it is handed in again. */
export async function followRepairs(context: SessionContext, event: LedgerEvent): Promise<void> {
  if (event.task === null || event.to === null) return;
  const task = idOfKey(event.task);
  const session = await context.load();
  if (event.to === "REJECTED") {
    const { refusal } = (await context.context.engine.ledger.task(event.task)) ?? {};
    const role = context.context.config.agents[String(refusal?.details.agent)]?.role ?? "";
    // What no reviewer refused failed its checks.
    const loop = Object.hasOwn(loops, role) ? (loops[role] ?? "FIX_TESTS") : "FIX_TESTS";
    // Beyond that its own retries are spent too, and a person is asked.
    if (repairsOf(session, task, loop) < repairsMax) await context.move({ type: "repair", loop, task });
    return;
  }
  const isBack = event.to === "REVIEW" || event.to === "MERGED";
  if (isBack && session.repairing.some((one) => one.task === task))
    await context.move({ type: "repaired", task });
}
