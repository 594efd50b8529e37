import { expiresAt } from "../../core/leases/lease.ts";
import type { Engine } from "./engine.ts";

/** The lock table in the form that hooks and other programs read. */
export async function listLocks(
  { ledger, clock }: Pick<Engine, "ledger" | "clock">,
  { all = false }: { readonly all?: boolean } = {},
) {
  const locks = await ledger.locks(all ? {} : { active: true });
  const running = new Map((await ledger.runningAttempts()).map((attempt) => [attempt.task, attempt]));
  const now = clock.now();
  const rows = locks.map(({ task, resource, kind, active, epoch, takenAt, releasedAt }) => {
    const attempt = running.get(task);
    return {
      task_id: task,
      resource,
      active,
      epoch,
      lease_expires_at: active && attempt?.epoch === epoch ? expiresAt(attempt.lease, now) : null,
      kind,
      taken_at: takenAt,
      released_at: releasedAt,
    };
  });
  return { locks: rows };
}
