import type { Session } from "../core/session/session.ts";
import type { Engine } from "./engine.ts";

/** The code of a session that a person has given up. */
export const abandoned = "abandoned";

/** The newest session that is neither done nor given up, else the newest. */
export async function currentSession({ ledger }: Pick<Engine, "ledger">): Promise<Session | undefined> {
  const newest = (await ledger.sessions()).toSorted((one, other) =>
    one.createdAt < other.createdAt ? 1 : -1,
  );
  return newest.find(({ state, blocker }) => state !== "DONE" && blocker?.code !== abandoned) ?? newest[0];
}
