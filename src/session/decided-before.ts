import type { Engine } from "../engine/change/engine.ts";
import { sessionDecisions } from "../engine/decisions/session-decisions.ts";

/** What people have said on the way, for whoever works next. */
export async function decidedBefore(engine: Engine, session: string): Promise<readonly string[]> {
  const decisions = await sessionDecisions(engine, session);
  return decisions.flatMap(({ state, question, answer }) =>
    state === "answered" && answer !== null
      ? [oneLine(`A person was asked: ${question} They said: ${answer}`)]
      : [],
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
