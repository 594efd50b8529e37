import { operate } from "../engine/operate.ts";
import type { SessionContext } from "./session-context.ts";
import { SessionFault } from "./session-fault.ts";

type Settling = {
  readonly "task-escalate": { readonly task: string; readonly reason: string };
  readonly "task-cancel": { readonly task: string; readonly reason: string };
  readonly "task-resolve": { readonly task: string; readonly note: string };
};

/** What becomes of a task that cannot go on by itself; that it cannot be done is never passed over. */
export async function settleTask<Name extends keyof Settling>(
  { context: { engine, call } }: SessionContext,
  name: Name,
  input: Settling[Name],
): Promise<void> {
  const verdict = await operate(engine, name, input, call);
  if (!verdict.allow) throw new SessionFault(verdict);
}
