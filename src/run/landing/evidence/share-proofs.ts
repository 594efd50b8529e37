import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { hasLapsed } from "../../../core/leases/lease.ts";
import type { Call, Engine } from "../../../engine/change/engine.ts";
import { isMemberRole } from "../../../engine/change/hold-role.ts";
import {
  offeredProofs,
  offerProof,
  takeProof,
  withdrawProof,
} from "../../../engine/landing/shared-proofs.ts";
import { isStoreFault } from "../../../ledger/store-fault.ts";
import type { ProofSharing, SharedRun, SharedState } from "../../../proof/proof-sharing.ts";
import { keepRole } from "../move/keep-role.ts";

interface Sharing {
  readonly engine: Engine;
  readonly call: Call;
  /** The ref at the remote that leads to a commit; undefined if the remote does not have it. */
  refOf(commit: string): string | undefined;
}

/** After a hint, or after this time, the ledger is asked again. */
const pollMs = 250;

/** How long a machine that is free may take to notice a request. */
const noticeMsMax = 5_000;

/** A longer document is not worth sending to another machine. */
const changedMax = 5_000;

/** Whether other machines have processes that could do a run. */
async function hasOthers({ ledger, clock, machine }: Engine): Promise<boolean> {
  const now = clock.now();
  return (await ledger.roles()).some(
    (role) =>
      isMemberRole(role) &&
      role.holder?.machine !== machine &&
      role.leaseState === "running" &&
      !hasLapsed(role.lease, now),
  );
}

/** What becomes of the runs that are offered. */
function followOffers(engine: Engine) {
  const { hints } = engine.ledger;
  let listed = {
    atMs: Number.NEGATIVE_INFINITY,
    hint: hints?.count,
    states: Promise.resolve<ReadonlyMap<string, SharedState>>(new Map()),
  };
  /** One read of the ledger answers all runs that wait. */
  const states = () => {
    const now = performance.now();
    const hint = hints?.count;
    if (now - listed.atMs >= pollMs || hint !== listed.hint) listed = { atMs: now, hint, states: read() };
    return listed.states;
  };
  const read = async () => {
    const offered = await offeredProofs(engine);
    return new Map<string, SharedState>(
      offered.map(({ request: { id, result }, isTaken }) => [id, result ?? (isTaken ? "taken" : "open")]),
    );
  };
  /** All runs wait together, until a hint comes that was not seen before the last read. */
  let resting: Promise<void> | undefined;
  const rest = () => {
    resting ??= untilHint(listed.hint).finally(() => {
      resting = undefined;
    });
    return resting;
  };
  const untilHint = async (seen: number | undefined) => {
    const over = new AbortController();
    const paused = sleep(pollMs, undefined, { signal: over.signal }).catch(() => {}); // ended below
    await Promise.race([paused, ...(hints === undefined ? [] : [hints.after(seen ?? hints.count)])]);
    over.abort();
  };
  return { states, rest };
}

/** Offers the runs of a prover to other machines, through the ledger. */
export function shareProofs({ engine, call, refOf }: Sharing): ProofSharing {
  const { states, rest } = followOffers(engine);
  return {
    async offer(run) {
      const ref = refOf(run.commit);
      if (ref === undefined || (run.change?.changed.length ?? 0) > changedMax) return undefined;
      const request = await offerProof(engine, { ...run, id: randomUUID(), ref }, call);
      engine.ledger.hints?.give();
      return request === undefined ? undefined : sharedRun(request.id);
    },
  };

  function sharedRun(id: string): SharedRun {
    const end = new AbortController();
    let kept: AsyncDisposable | undefined;
    const until = async (isReached: (state: SharedState) => boolean, msMax = Number.POSITIVE_INFINITY) => {
      const startedMs = performance.now();
      for (;;) {
        // A request that vanished can be taken by this machine only.
        const state = (await states()).get(id) ?? "open";
        if (end.signal.aborted || isReached(state) || performance.now() - startedMs > msMax) return state;
        await rest();
      }
    };
    return {
      async take() {
        const taken = await takeProof(engine, id, call);
        if (taken === "taken") return false;
        if (taken !== "gone") kept = keepRole({ engine, call }, taken);
        return true;
      },
      until: (isReached) => until(isReached),
      async letOthers() {
        if (await hasOthers(engine)) await until((state) => state !== "open", noticeMsMax);
      },
      async [Symbol.asyncDispose]() {
        end.abort();
        await kept?.[Symbol.asyncDispose]();
        await withdrawProof(engine, id, call).catch((error: unknown) => {
          if (!isStoreFault(error)) throw error; // the slot is used again later
        });
      },
    };
  }
}
