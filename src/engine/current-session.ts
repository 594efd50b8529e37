import type { Session } from "../core/session/session.ts";
import type { Engine } from "./engine.ts";

/** The newest session that is not done, else the newest. */
export async function currentSession({ ledger }: Pick<Engine, "ledger">): Promise<Session | undefined> {
  const newest = (await ledger.sessions()).toSorted((one, other) =>
    one.createdAt < other.createdAt ? 1 : -1,
  );
  return newest.find(({ state }) => state !== "DONE") ?? newest[0];
}
