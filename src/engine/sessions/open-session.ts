import { metaKey, readTaskName } from "../../core/names/task-name.ts";
import { allow, type Deny, deny } from "../../core/rules/verdict.ts";
import { newSession, type Session } from "../../core/session/session.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { settle, withoutKey } from "../change/settle.ts";

/** Creates a session in its first state. */
export const openSession = internal("open-session", open);

async function open(
  engine: Engine,
  given: Parameters<typeof newSession>[0],
  call: Admitted,
): Promise<Session | Deny> {
  const { name } = given;
  const named = readTaskName(metaKey(name));
  if ("allow" in named) return named;
  let opened: Session | undefined;
  const verdict = await settle(
    engine,
    { operation: "open-session", input: given, call: withoutKey(call) },
    async () => {
      if ((await engine.ledger.session(name)) !== undefined)
        return {
          verdict: deny(
            "R-ST-001",
            `session \`${name}\` already exists: continue it with \`lockstep resume ${name}\``,
          ),
        };
      const draft = new Draft(engine, { by: call, cause: "start" });
      const { mode, goal, base, baseCommit } = given;
      const data = { session: name, mode, goal, base, baseCommit };
      draft.note({ type: "session.opened", task: metaKey(name), from: null, to: null, data });
      const change = await draft.toChange({ sessions: [newSession(given, draft.at)] });
      if ("allow" in change) return { verdict: change };
      [opened] = change.sessions ?? [];
      return { verdict: allow(), change };
    },
  );
  if (!verdict.allow) return verdict;
  return asStored(opened, name);
}

/** The session as stored after the commit. */
export function asStored(session: Session | undefined, name: string): Session {
  if (session === undefined) throw new Error(`session \`${name}\` was not written`);
  return { ...session, version: session.version + 1 };
}
