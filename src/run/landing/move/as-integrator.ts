import { setTimeout as sleep } from "node:timers/promises";
import { type HeldRole, integratorRole, takeRole } from "../../../engine/change/hold-role.ts";
import { StoreFault } from "../../../ledger/store-fault.ts";
import type { IntegrationContext } from "../integration.ts";
import { keepRole } from "./keep-role.ts";

type Source = Pick<IntegrationContext, "engine" | "call">;

/** A move of the base takes a second; a holder on this machine that dies frees the role at once. */
const waitMsMax = 120_000;
const pauseMs = 50;

/** The place of a base that moves at a remote. It is the same for all machines of a ledger. */
export const atRemote = "remote";

/** The repository whose base moves, if several machines share the ledger: each moves the base of its own. */
export function placeOf({
  engine,
  config,
  repository,
}: Pick<IntegrationContext, "engine" | "config"> & {
  readonly repository: { readonly root: string };
}): string | undefined {
  return config.integrate === "push" ? atRemote : ownPlace({ engine, repository });
}

/** The place of a base that is a branch of this repository. */
export function ownPlace({
  engine,
  repository,
}: Pick<Source, "engine"> & { readonly repository: { readonly root: string } }): string | undefined {
  return engine.machine === undefined ? undefined : `${engine.machine}:${repository.root}`;
}

/** Moves the base, or recovers a move, while this process is the only one that may. */
export async function asIntegrator<T>(
  {
    engine,
    call,
    place = "here",
    base,
  }: Source & { readonly place: string | undefined; readonly base: string },
  work: (held: HeldRole) => Promise<T>,
): Promise<T> {
  const name = integratorRole(place, base);
  const deadline = performance.now() + waitMsMax;
  for (;;) {
    const taken = await takeRole(engine, name, call);
    if ("epoch" in taken) {
      // A push can take longer than a lease.
      await using _kept = keepRole({ engine, call }, taken);
      return await work(taken);
    }
    if (performance.now() > deadline) {
      const { holder } = taken.heldBy;
      throw new StoreFault("busy", `process ${holder?.pid ?? "unknown"} is moving \`${base}\`: try again`);
    }
    await sleep(pauseMs);
  }
}
