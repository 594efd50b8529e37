import { allow, type Verdict } from "../../core/rules/verdict.ts";
import { dataOf, type EventData } from "../../ledger/event-data.ts";
import type { Ledger, LedgerEvent } from "../../ledger/ledger.ts";
import { type Admitted, internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { settle } from "../change/settle.ts";

export type Shared = EventData["session.shared"];

/** Tells the other machines that the files of a session are at the remote, or have changed there. */
export const shareSession = internal("share-session", share);

function share(engine: Engine, shared: Shared, call: Admitted): Promise<Verdict> {
  return settle(engine, { operation: "share-session", input: shared, call }, async () => {
    const draft = new Draft(engine, { by: call, cause: "share-session" });
    draft.note({ type: "session.shared", task: null, from: null, to: null, data: shared });
    return { verdict: allow({}), change: await draft.toChange() };
  });
}

/** The sessions that other machines can take part in, as last told. */
export async function sharedSessions({
  ledger,
}: {
  readonly ledger: Pick<Ledger, "events">;
}): Promise<ReadonlyMap<string, Shared>> {
  const events = await ledger.events({ type: "session.shared" });
  return new Map(
    events.flatMap((event) => {
      const shared = sharedIn(event);
      return shared === undefined ? [] : [[shared.session, shared] as const];
    }),
  );
}

export function sharedIn(event: LedgerEvent): Shared | undefined {
  const { session, base, includes = [] } = dataOf(event, "session.shared") ?? {};
  return session === undefined || base === undefined ? undefined : { session, base, includes };
}
