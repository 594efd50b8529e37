import { isSessionOver, type Session } from "../../core/session/session.ts";
import type { Engine } from "../change/engine.ts";

export async function currentSession({ ledger }: Pick<Engine, "ledger">): Promise<Session | undefined> {
  return currentOf(await ledger.sessions());
}

/** The newest session that is neither done nor abandoned, or else the newest. */
export function currentOf(sessions: readonly Session[]): Session | undefined {
  const newest = sessions.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  return newest.find((session) => !isSessionOver(session)) ?? newest[0];
}
