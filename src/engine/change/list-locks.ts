import { expiresAt } from "../../core/leases/lease.ts";
import type { Engine } from "./engine.ts";

/** The lock table in the form that hooks and other programs read. */
export async function listLocks(
  { ledger, clock }: Pick<Engine, "ledger" | "clock">,
  { all = false }: { readonly all?: boolean } = {},
) {
  const locks = await ledger.locks(all ? {} : { active: true });
  const now = clock.now();
  const rows = [];
  for (const { task, resource, kind, active, epoch, takenAt, releasedAt } of locks) {
    const attempt = active ? await ledger.attempt(task) : undefined;
    const running = attempt?.leaseState === "running" && attempt.epoch === epoch;
    rows.push({
      task_id: task,
      resource,
      active,
      epoch,
      lease_expires_at: running ? expiresAt(attempt.lease, now) : null,
      kind,
      taken_at: takenAt,
      released_at: releasedAt,
    });
  }
  return { locks: rows };
}
