import type { Abilities, AgentClient } from "../../clients/agent.ts";
import { commandAgent } from "../../clients/command/run.ts";
import { scriptAgent } from "../../clients/script/run.ts";
import type { Config } from "../../contract/config.ts";
import { chooseAgent } from "../../core/plan/choose-agent.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { realClient } from "./real-client.ts";

/** An agent of the configuration that can be started here. */
export interface Agent {
  readonly name: string;
  readonly role: string;
  readonly model: string | null;
  readonly client: AgentClient;
  readonly can: Abilities;
  /** A coding client: the tree counts even where its report does not, and it can be asked again. */
  readonly isClient: boolean;
  readonly reworks: "resume" | "fresh";
}

interface Pause {
  readonly untilMs: number;
  readonly reason: string;
}

/** Those that can be started, and until when which of them rest. */
export class Agents {
  readonly #config: Config;
  readonly #root: string;
  readonly #ready = new Map<string, Agent>();
  /** By pool: agents of one client use one account. */
  readonly #pauses = new Map<string, Pause>();

  constructor(config: Config, root: string) {
    this.#config = config;
    this.#root = root;
  }

  /** Asks each of them, and those that would take over, whether it can be used at all. */
  async prepare(names: Iterable<string>): Promise<Deny | undefined> {
    for (const name of this.#withHandovers(names)) {
      if (this.#ready.has(name)) continue;
      const client = this.#clientOf(name);
      const probe = await client.probe();
      if (!probe.usable) return deny("R-AG-001", `agent \`${name}\` cannot be used: ${probe.reason}`);
      const { role = "Coder", model = null, adapter, rework = "resume" } = this.#config.agents[name] ?? {};
      const isClient = adapter !== "command" && adapter !== "script";
      this.#ready.set(name, { name, role, model, client, can: probe.can, isClient, reworks: rework });
    }
    return undefined;
  }

  get(name: string): Agent {
    const agent = this.#ready.get(name);
    if (agent === undefined) throw new Error(`agent \`${name}\` was not prepared`);
    return agent;
  }

  /** Who does the next try; undefined while all who could rest. */
  choose(planned: string, { failed, nowMs }: { readonly failed: boolean; readonly nowMs: number }) {
    const isPaused = (name: string) => (this.#pauses.get(this.#poolOf(name))?.untilMs ?? 0) > nowMs;
    const name = chooseAgent(planned, this.#config.agents, { failed, isPaused });
    return name === undefined ? undefined : this.get(name);
  }

  /** Its pool rests: nobody whose client has the same account is started until then. */
  pause(name: string, pause: Pause): void {
    this.#pauses.set(this.#poolOf(name), pause);
  }

  wake(name: string): void {
    this.#pauses.delete(this.#poolOf(name));
  }

  /** When the first of those that rest can work again; undefined where none does, or none will by itself. */
  nextWakeMs(nowMs: number): number | undefined {
    const times = [...this.#pauses.values()].map(({ untilMs }) => untilMs);
    const coming = times.filter((untilMs) => untilMs > nowMs && Number.isFinite(untilMs));
    return coming.length === 0 ? undefined : Math.min(...coming);
  }

  #withHandovers(names: Iterable<string>): ReadonlySet<string> {
    const all = new Set<string>();
    const queue = [...names];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (all.has(name)) continue;
      all.add(name);
      const { escalate_to = null, fallback = null } = this.#config.agents[name] ?? {};
      for (const other of [escalate_to, fallback]) if (other !== null) queue.push(other);
    }
    return all;
  }

  #poolOf(name: string): string {
    const adapter = this.#config.agents[name]?.adapter ?? "command";
    return adapter === "command" || adapter === "script" ? `agent ${name}` : `client ${adapter}`;
  }

  #clientOf(name: string): AgentClient {
    const agent = this.#config.agents[name];
    if (agent === undefined) throw new Error(`there is no agent \`${name}\``);
    const root = this.#root;
    if (agent.adapter === "command") return commandAgent({ run: agent.run ?? [], root });
    if (agent.adapter === "script") return scriptAgent({ script: agent.run?.[0] ?? "", root });
    return realClient(agent.adapter, agent);
  }
}
