import { metaKey } from "../../core/names/task-name.ts";
import type { SessionState } from "../../core/session/states.ts";
import type { DecisionData } from "../../ledger/decision-data.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Call, Engine } from "../change/engine.ts";
import { askPerson } from "./ask-person.ts";

export interface SessionQuestion {
  readonly session: string;
  /** repair: what becomes of work that repairs did not mend. */
  readonly kind: "question" | "repair";
  readonly question: string;
  /** Empty where the person answers in their own words. */
  readonly options: readonly string[];
  /** Where the session goes on after the answer (S4-112). */
  readonly stateContext: SessionState;
  /** Security left it to a person: it is never cancelled without one (S4-095). */
  readonly fromSecurity: boolean;
  /** What tells this question from others: the same is not asked twice. */
  readonly about: readonly string[];
  readonly data?: DecisionData;
}

/** What a person says to a question of a session, which is asked unless it was before. */
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
  if (stored === undefined) throw new Error("a dry run asks nobody");
  return stored;
}
