import { endRole, type HeldRole, renewRole, roleSeconds } from "../../../engine/change/hold-role.ts";
import type { IntegrationContext } from "../integration.ts";

const renewMs = (roleSeconds * 1000) / 4;

interface KeptRole extends AsyncDisposable {
  /** Aborted when another process has taken the role, or it was withdrawn. */
  readonly lost: AbortSignal;
}

/** Renews a role until it is disposed, which gives the role back. */
export function keepRole(
  { engine, call }: Pick<IntegrationContext, "engine" | "call">,
  held: HeldRole,
): KeptRole {
  const lost = new AbortController();
  const renew = async () => {
    // A ledger that cannot be reached is no reason to stop: the epoch decides when it can be reached again.
    const isRenewed = await renewRole(engine, held, call).catch(() => true);
    if (!isRenewed) lost.abort();
  };
  const timer = setInterval(() => void renew(), renewMs);
  timer.unref();
  return {
    lost: lost.signal,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      if (lost.signal.aborted) return;
      await endRole(engine, held, call);
    },
  };
}
