import { metaKey } from "../../core/names/task-name.ts";
import { allow, type Deny, deny } from "../../core/rules/verdict.ts";
import { advanceSession } from "../../core/session/advance.ts";
import type { Facts } from "../../core/session/conditions.ts";
import type { Session } from "../../core/session/session.ts";
import type { SessionEvent } from "../../core/session/session-event.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { expectRole, type HeldRole, whyNotHolder } from "../change/hold-role.ts";
import { settle, withoutKey } from "../change/settle.ts";
import { asStored } from "./open-session.ts";

export interface SessionMove {
  readonly session: string;
  readonly event: SessionEvent;
  /** The facts that the event's conditions need. */
  readonly facts?: Facts;
  /** Changed decisions to store in the same commit. */
  readonly decisions?: readonly Decision[];
  /** The conductor's role, if the caller conducts the session. */
  readonly held?: HeldRole | undefined;
}

/** Applies an event to a session: everything is stored, or nothing with a reason. */
export const moveSession = internal("move-session", move);

async function move(
  engine: Engine,
  { session: name, event, facts = {}, decisions = [], held }: SessionMove,
  call: Admitted,
): Promise<Session | Deny> {
  let moved: Session | undefined;
  const input = { session: name, event: event.type };
  const verdict = await settle(
    engine,
    { operation: "move-session", input, call: withoutKey(call) },
    async () => {
      const replaced = await whyNotHolder(engine, held);
      if (replaced !== undefined) return { verdict: replaced };
      const session = await engine.ledger.session(name);
      if (session === undefined) return { verdict: unknownSession(name) };
      const stale = await findStale(engine, decisions);
      if (stale !== undefined) return { verdict: stale };
      const draft = new Draft(engine, { by: call, cause: event.type });
      const next = stepSession(draft, session, { event, facts });
      if ("allow" in next) return { verdict: next };
      for (const { id, task, state, answer } of decisions) {
        const type = state === "pending" ? "decision.asked" : `decision.${state}`;
        draft.note({ type, task, from: null, to: null, data: { id, answer } });
      }
      const change = await draft.toChange({ sessions: [next], decisions, ...expectRole(held) });
      if ("allow" in change) return { verdict: change };
      [moved] = change.sessions ?? [];
      return { verdict: allow(), change };
    },
  );
  return verdict.allow ? asStored(moved, name) : verdict;
}

/** The session after an event; also records the event in the draft. */
export function stepSession(
  draft: Draft,
  session: Session,
  { event, facts = {} }: { readonly event: SessionEvent; readonly facts?: Facts },
): Session | Deny {
  const next = advanceSession(session, event, { facts, at: draft.at });
  if ("allow" in next) return next;
  const { type: name, ...about } = event;
  const type = next.state === session.state ? "session.noted" : "session.moved";
  const data = { session: session.name, from: session.state, to: next.state, event: name, ...about };
  draft.note({ type, task: metaKey(session.name), from: null, to: null, data });
  return next;
}

export function unknownSession(name: string): Deny {
  return deny("R-IN-001", `there is no session \`${name}\`: start one with \`lockstep start "<goal>"\``);
}

async function findStale({ ledger }: Engine, decisions: readonly Decision[]): Promise<Deny | undefined> {
  if (decisions.length === 0) return undefined;
  const stored = new Map((await ledger.decisions()).map(({ id, version }) => [id, version]));
  const stale = decisions.find(({ id, version }) => (stored.get(id) ?? 0) !== version);
  if (stale === undefined) return undefined;
  return deny("R-ST-001", `decision \`${stale.id}\` has changed in the meantime: read it again`, {
    id: stale.id,
  });
}
