import type { Session } from "../../core/session/session.ts";
import type { Engine } from "../change/engine.ts";

/** The code of a session that a person has given up. */
export const abandoned = "abandoned";

export async function currentSession({ ledger }: Pick<Engine, "ledger">): Promise<Session | undefined> {
  return currentOf(await ledger.sessions());
}

/** The newest session that is neither done nor given up, else the newest. */
export function currentOf(sessions: readonly Session[]): Session | undefined {
  const newest = sessions.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  return newest.find((session) => !isSessionOver(session)) ?? newest[0];
}

/** Done, or given up. */
export function isSessionOver({ state, blocker }: Pick<Session, "state" | "blocker">): boolean {
  return state === "DONE" || isGivenUp({ blocker });
}

export function isGivenUp({ blocker }: Pick<Session, "blocker">): boolean {
  return blocker?.code === abandoned;
}
