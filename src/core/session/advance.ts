import { type Deny, deny } from "../rules/verdict.ts";
import { type Condition, type Facts, unmet } from "./conditions.ts";
import type { Session } from "./session.ts";
import type { SessionEvent } from "./session-event.ts";
import { type SessionTransition, sessionTransitions } from "./transitions.ts";

/** The session after an event, or why the event is not possible now. The only way to change a session. */
export function advanceSession(
  session: Session,
  event: SessionEvent,
  { facts = {}, at }: { readonly facts?: Facts; readonly at: string },
): Session | Deny {
  const found = rowFor(session, event);
  if (found === undefined)
    return deny(
      "R-ST-001",
      `\`${event.type}\` is not possible for session \`${session.name}\` in state ${session.state}`,
      {
        session: session.name,
        state: session.state,
        event: event.type,
      },
    );
  const missing = unmet(found.needs(session), facts);
  if (missing.length > 0)
    return deny("R-ST-001", `session \`${session.name}\` stays in ${session.state}: ${missing.join("; ")}`, {
      session: session.name,
      state: session.state,
      event: event.type,
      missing,
    });
  const state = found.to(session, event);
  const moved = state === session.state || isRoundTrip(event) ? {} : { returned: [], dispatched: null };
  return { ...session, ...moved, ...found.change(session, event, at), state, updatedAt: at };
}

/** The conditions of an event; empty if it is not possible at all. */
export function needsOf(session: Session, event: SessionEvent): readonly Condition[] {
  return rowFor(session, event)?.needs(session) ?? [];
}

/** These events keep the list of returned roles. */
function isRoundTrip({ type }: SessionEvent): boolean {
  return type === "ask" || type === "answered" || type === "block" || type === "resume" || type === "repair";
}

function rowFor(session: Session, event: SessionEvent): SessionTransition | undefined {
  return sessionTransitions.find(
    (one) =>
      one.event === event.type &&
      one.from.includes(session.state) &&
      (one.when === undefined || one.when(session, event as never)),
  );
}
