import { setTimeout as sleep } from "node:timers/promises";
import { type HeldRole, integratorRole, renewRole, takeRole } from "../../engine/change/hold-role.ts";
import { isUnreachable, StoreFault } from "../../ledger/store-fault.ts";
import type { IntegrationContext } from "./integration.ts";

type Place = Pick<IntegrationContext, "engine" | "call"> & {
  readonly repository: { readonly root: string; readonly base: string };
};

/** A move of the base takes a second; a holder on this machine that dies frees the role at once. */
const waitMsMax = 120_000;
const pauseMs = 50;

/** The repository whose base moves, if several machines share the ledger: each moves the base of its own. */
export function placeOf({
  engine,
  repository,
}: Pick<Place, "engine"> & { readonly repository: { readonly root: string } }): string | undefined {
  return engine.machine === undefined ? undefined : `${engine.machine}:${repository.root}`;
}

/** Moves the base, or recovers a move, while this process is the only one that may. */
export async function asIntegrator<T>(place: Place, work: (held: HeldRole) => Promise<T>): Promise<T> {
  const { engine, call, repository } = place;
  const name = integratorRole(placeOf(place) ?? "here", repository.base);
  const deadline = performance.now() + waitMsMax;
  for (;;) {
    const taken = await takeRole(engine, name, call);
    if ("epoch" in taken) {
      try {
        return await work(taken);
      } finally {
        await renewRole(engine, { ...taken, end: true }, call).catch((error: unknown) => {
          if (!isUnreachable(error)) throw error; // then the lease ends by itself
        });
      }
    }
    if (performance.now() > deadline) {
      const { holder } = taken.heldBy;
      throw new StoreFault(
        "busy",
        `process ${holder?.pid ?? "unknown"} is moving \`${repository.base}\`: try again`,
      );
    }
    await sleep(pauseMs);
  }
}
