import { metaKey } from "../../core/names/task-name.ts";
import type { SessionState } from "../../core/session/states.ts";
import type { DecisionData } from "../../ledger/decision-data.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Call, Engine } from "../change/engine.ts";
import { askPerson } from "./ask-person.ts";

export interface SessionQuestion {
  readonly session: string;
  /** repair: how to continue after repairs failed. */
  readonly kind: "question" | "repair";
  readonly question: string;
  /** Empty if the person answers in their own words. */
  readonly options: readonly string[];
  /** The state in which the session continues after the answer (S4-112). */
  readonly stateContext: SessionState;
  /** A security review left this to a person: it is never cancelled without one (S4-095). */
  readonly fromSecurity: boolean;
  /** Identifies the question: the same question is not asked twice. */
  readonly about: readonly string[];
  readonly data?: DecisionData;
}

/** Asks a question of a session, unless it was asked before. */
export async function askSession(engine: Engine, asked: SessionQuestion, call: Call): Promise<Decision> {
  const { session, kind, question, options, stateContext, fromSecurity, about, data = {} } = asked;
  const found = await askPerson(
    engine,
    {
      ...{ kind, task: metaKey(session), question, options, about: [session, ...about] },
      cancelledCounts: true,
      data: { ...data, session, stateContext, fromSecurity },
    },
    call,
  );
  const stored = (await engine.ledger.decisions()).find(({ id }) => id === found?.id);
  if (stored === undefined) throw new Error("a dry run does not ask questions");
  return stored;
}
