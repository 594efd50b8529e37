import type { AgentClient, AgentEnd, AgentEvent, AgentStart } from "../../src/clients/agent.ts";

export const { PATH = "" } = process.env;

export interface Started {
  readonly end: AgentEnd;
  readonly events: readonly AgentEvent[];
  readonly said: readonly string[];
}

/** The options to start an agent with; without a policy, unless one is given. */
export function startWith(more: Partial<AgentStart> = {}): AgentStart {
  const wrap: AgentStart["wrap"] = (command, env) => ({ command, env });
  return {
    input: {},
    prompt: "",
    sandboxed: false,
    wrap,
    folder: "/",
    outside: (path) => path,
    env: { PATH },
    msMax: 600_000,
    onEvent: () => {},
    ...more,
  };
}

export async function started(client: AgentClient, more: Partial<AgentStart> = {}): Promise<Started> {
  const events: AgentEvent[] = [];
  const end = await client.start(startWith({ onEvent: (event) => events.push(event), ...more })).ended;
  return { end, events, said: events.flatMap((event) => (event.type === "said" ? [event.text] : [])) };
}
