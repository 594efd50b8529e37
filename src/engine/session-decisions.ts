import { isMeta } from "../core/session/meta-key.ts";
import type { Decision } from "../ledger/ledger.ts";
import { abandoned } from "./current-session.ts";
import type { Engine } from "./engine.ts";

/** All that was ever asked in a session, by its roles, its tasks and its agents, in order. */
export async function sessionDecisions(
  { ledger }: Pick<Engine, "ledger">,
  name: string,
): Promise<readonly Decision[]> {
  const session = await ledger.session(name);
  const agents = new Set([
    ...(await ledger.tasks({ session: name })).flatMap(({ agent }) => agent ?? []),
    ...(session?.returned ?? []).map(({ agent }) => agent),
    ...(session?.dispatched == null ? [] : [session.dispatched.agent]),
  ]);
  // An agent may have been logged out long before.
  const isOwnLogin = ({ task, askedAt }: Decision) =>
    task.startsWith("agent:") &&
    agents.has(task.slice("agent:".length)) &&
    session !== undefined &&
    askedAt >= session.createdAt;
  return (await ledger.decisions())
    .filter((one) => one.task.startsWith(`${name}/`) || isOwnLogin(one))
    .toSorted(byTime);
}

const byNumber = new Intl.Collator("en", { numeric: true }).compare;

function byTime(one: Decision, other: Decision): number {
  if (one.askedAt !== other.askedAt) return one.askedAt < other.askedAt ? -1 : 1;
  return byNumber(one.id, other.id);
}

/** Nobody needs an answer about a task, or a session, that is over. */
export async function isNeedless(
  { ledger }: Pick<Engine, "ledger">,
  { task, kind }: Decision,
): Promise<boolean> {
  if (isMeta(task)) {
    const session = await ledger.session(task.slice(0, -"/meta".length));
    return session?.state === "DONE" || session?.blocker?.code === abandoned;
  }
  const state = (await ledger.task(task))?.state;
  // A person may have answered it in another way, such as `task resolve`.
  if (kind === "continue") return state !== "ESCALATED";
  return state === "MERGED" || state === "FAILED";
}
