import type { AgentEnd } from "../../clients/agent.ts";
import { recordLimit } from "../../engine/attempts/limited-agents.ts";
import { askLogin } from "../../engine/decisions/ask-login.ts";
import { localTime } from "../../workspace/process/local-time.ts";
import type { RunContext } from "./run-context.ts";

/** The pause of a client that does not say when its limit is reset. */
const limitedMs = 5 * 60_000;

type Resting = Extract<AgentEnd, { how: "limited" | "unauthenticated" }>;

/** Pauses an agent without quota or login and records that in the ledger. Returns the message for the user. */
export async function restAgent(
  { agents, engine, call }: RunContext,
  agent: string,
  end: Resting,
): Promise<string> {
  if (end.how === "limited") {
    const untilMs = end.until?.getTime() ?? Date.now() + limitedMs;
    const rest = agents.pause(agent, { untilMs, reason: end.reason });
    const until = new Date(untilMs).toISOString();
    await recordLimit(engine, { agents: rest, until, reason: end.reason }, call);
    return `${agent} is out of quota until ${localTime(until)}: ${end.reason}`;
  }
  agents.pause(agent, { untilMs: Number.POSITIVE_INFINITY, reason: end.reason });
  const asked = await askLogin(engine, { agent, reason: end.reason }, call);
  const next = asked === undefined ? "" : `; log in, then \`lockstep decide ${asked.id} done\``;
  return `${agent} is not logged in: ${end.reason}${next}`;
}
