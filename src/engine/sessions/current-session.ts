import type { Session } from "../../core/session/session.ts";
import type { Engine } from "../change/engine.ts";

/** The blocker code of an abandoned session. */
export const abandoned = "abandoned";

export async function currentSession({ ledger }: Pick<Engine, "ledger">): Promise<Session | undefined> {
  return currentOf(await ledger.sessions());
}

/** The newest session that is neither done nor abandoned, or else the newest. */
export function currentOf(sessions: readonly Session[]): Session | undefined {
  const newest = sessions.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  return newest.find((session) => !isSessionOver(session)) ?? newest[0];
}

/** Done or abandoned. */
export function isSessionOver({ state, blocker }: Pick<Session, "state" | "blocker">): boolean {
  return state === "DONE" || isGivenUp({ blocker });
}

export function isGivenUp({ blocker }: Pick<Session, "blocker">): boolean {
  return blocker?.code === abandoned;
}
