import type { NativeAnswer } from "../contract/tool-call.ts";
import { readJson, readJsonBytes } from "../core/text/read-json.ts";
import { field, isText } from "../core/values/fields.ts";
import type { GuardEndpoint } from "../guard/world/guard-endpoint.ts";

/** The longest duration of a call: a person may have to allow it first, hours later. */
const callMs = 12 * 3600 * 1000;
/** Longer than any model takes for its next call. */
const turnMs = 30 * 60 * 1000;
const agentsMax = 1000;

/** The agent of a session, or one of its subagents, in the middle of a turn. */
interface AgentAtWork {
  /** Calls that were judged and whose end was not reported yet. */
  readonly calls: ReadonlySet<string>;
  readonly usedMs: number;
}

/**
 * When the guard was last used. A client that calls over HTTP cannot restart the server in the middle of a turn, so an
 * agent in a turn keeps it running. Each turn begins with a command that starts the server. The end of a turn or session
 * is reported by commands, on the socket.
 */
export class Usage {
  readonly #guard: GuardEndpoint;
  readonly #idleMs: number;
  readonly #now: () => number;
  readonly #atWork = new Map<string, AgentAtWork>();
  #lastMs: number;
  #underWay = 0;

  constructor(guard: GuardEndpoint, idleMs: number, now = () => performance.now()) {
    this.#guard = guard;
    this.#idleMs = idleMs;
    this.#now = now;
    this.#lastMs = now();
  }

  readonly onSocket: GuardEndpoint = async (client, payload, env) => {
    const answer = await this.#ask(client, payload, env);
    if (this.#atWork.size > 0) this.#noteEnd(readJsonBytes(payload), answer);
    return answer;
  };

  readonly overHttp: GuardEndpoint = async (client, payload, env) => {
    const answer = await this.#ask(client, payload, env);
    const document = readJsonBytes(payload);
    this.#noteCall(document, answer);
    this.#noteEnd(document, answer);
    return answer;
  };

  isOver(): boolean {
    const now = this.#now();
    for (const [agent, { calls, usedMs }] of this.#atWork)
      if (now - usedMs > (calls.size > 0 ? callMs : turnMs)) this.#atWork.delete(agent);
    return this.#underWay === 0 && this.#atWork.size === 0 && now - this.#lastMs >= this.#idleMs;
  }

  readonly #ask: GuardEndpoint = async (...call) => {
    this.#underWay += 1;
    try {
      return await this.#guard(...call);
    } finally {
      this.#underWay -= 1;
      this.#lastMs = this.#now();
    }
  };

  #noteCall(document: unknown, { exit }: NativeAnswer): void {
    const agent = agentOf(document);
    if (agent === undefined) return;
    const calls = new Set(this.#atWork.get(agent)?.calls);
    const call = String(field(document, "tool_use_id"));
    // A refused call does not run, and its end is not reported.
    if (field(document, "hook_event_name") === "PreToolUse" && exit === 0) calls.add(call);
    else calls.delete(call);
    this.#put(agent, { calls, usedMs: this.#now() });
  }

  #noteEnd(document: unknown, { stdout }: NativeAnswer): void {
    const agent = agentOf(document);
    if (agent === undefined) return;
    switch (field(document, "hook_event_name")) {
      case "Stop":
      case "SubagentStop": {
        // The agent continues if its stop is refused, or if background work wakes it.
        const isRefused = field(readJson(stdout), "decision") === "block";
        if (!isRefused && !leavesWork(document)) this.#atWork.delete(agent);
        return;
      }
      case "SessionEnd":
        for (const other of this.#atWork.keys())
          if (other.startsWith(sessionPart(agent))) this.#atWork.delete(other);
    }
  }

  #put(agent: string, at: AgentAtWork): void {
    this.#atWork.delete(agent); // keeps the newest last
    this.#atWork.set(agent, at);
    const [oldest] = this.#atWork.keys();
    if (this.#atWork.size > agentsMax && oldest !== undefined) this.#atWork.delete(oldest);
  }
}

const nameLengthMax = 200;

/** The session id and the agent's own id, which only subagents have. */
function agentOf(document: unknown): string | undefined {
  const [session, agent] = [field(document, "session_id"), field(document, "agent_id")];
  if (!isText(session)) return undefined;
  return `${session.slice(0, nameLengthMax)}\n${isText(agent) ? agent.slice(0, nameLengthMax) : ""}`;
}

function sessionPart(agent: string): string {
  return agent.slice(0, agent.indexOf("\n") + 1);
}

function leavesWork(document: unknown): boolean {
  return ["background_tasks", "session_crons"].some((name) => {
    const left = field(document, name);
    return Array.isArray(left) && left.length > 0;
  });
}
