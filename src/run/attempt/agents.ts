import type { Abilities, AgentClient } from "../../clients/agent.ts";
import { commandAgent } from "../../clients/command/run.ts";
import { scriptAgent } from "../../clients/script/run.ts";
import type { Config } from "../../contract/config.ts";
import { accountOf } from "../../core/plan/account.ts";
import { chooseAgent } from "../../core/plan/choose-agent.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { mayWorkOn } from "../../hooks/lifecycle/resolve-hooks.ts";
import type { RepositoryState } from "../../workspace/git/repository-state.ts";
import { realClient } from "./real-client.ts";
import { uncommittedFiles, uncommittedText } from "./uncommitted-files.ts";

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

interface Choice {
  /** Of the task. */
  readonly type: string | null;
  readonly as: "implementer" | "gatekeeper";
  /** The last tries failed: whom it escalates to comes first. */
  readonly failed?: boolean;
  readonly makers?: ReadonlySet<string>;
}

/** Those that can be started, and until when which of them rest. */
export class Agents {
  readonly #config: Config;
  readonly #root: string;
  readonly #baseCommit: string;
  readonly #ready = new Map<string, Agent>();
  /** With the reason. */
  readonly #unusable = new Map<string, string>();
  /** By account. */
  readonly #pauses = new Map<string, Pause>();

  constructor(config: Config, { root, baseCommit }: Pick<RepositoryState, "root" | "baseCommit">) {
    this.#config = config;
    this.#root = root;
    this.#baseCommit = baseCommit;
  }

  /** Asks each of them, and those that would take over, whether it can be used at all. */
  async prepare(names: Iterable<string>): Promise<Deny | undefined> {
    const wanted = [...names];
    for (const name of this.#withHandovers(wanted)) {
      if (this.#ready.has(name) || this.#unusable.has(name)) continue;
      const client = this.#clientOf(name);
      const probe = await client.probe();
      if (!probe.usable) {
        this.#unusable.set(name, probe.reason);
        continue;
      }
      const lacking = await this.#lackingFor(name);
      if (lacking.length > 0) {
        this.#unusable.set(name, uncommittedText(lacking));
        continue;
      }
      const { role = "Coder", model = null, adapter, rework = "resume" } = this.#config.agents[name] ?? {};
      const isClient = adapter !== "command" && adapter !== "script";
      this.#ready.set(name, { name, role, model, client, can: probe.can, isClient, reworks: rework });
    }
    const missing = wanted.filter((name) => !this.#canBeDone(name));
    if (missing.length === 0) return undefined;
    const reasons = [...new Set(missing)].map(
      (name) => `agent \`${name}\` cannot be used: ${this.#unusable.get(name)}`,
    );
    return deny("R-AG-001", reasons.join("; "));
  }

  /** By itself, or by whoever stands in. */
  #canBeDone(name: string, tried = new Set<string>()): boolean {
    if (this.#ready.has(name)) return true;
    const { fallback = null } = this.#config.agents[name] ?? {};
    if (fallback === null || tried.has(name)) return false;
    return this.#canBeDone(fallback, tried.add(name));
  }

  get(name: string): Agent {
    const agent = this.#ready.get(name);
    if (agent === undefined) throw new Error(`agent \`${name}\` was not prepared`);
    return agent;
  }

  /**
   * The agent itself, or one that takes over; undefined while all who could rest. Nobody takes over what their type is
   * not for (S2-033), and nobody judges what they made.
   */
  choose(planned: string, { type, as, failed = false, makers }: Choice): Agent | undefined {
    const mayDo = (name: string | null) =>
      name !== null &&
      !this.#unusable.has(name) &&
      !makers?.has(name) &&
      mayWorkOn(this.#config, type, { agent: name, as })
        ? name
        : null;
    const handovers = Object.entries(this.#config.agents).map(
      ([name, { escalate_to, fallback }]) =>
        [name, { escalate_to: mayDo(escalate_to), fallback: mayDo(fallback) }] as const,
    );
    const isPaused = (name: string) => this.#unusable.has(name) || this.isResting(name);
    const name = chooseAgent(planned, Object.fromEntries(handovers), { failed, isPaused });
    return name === undefined ? undefined : this.get(name);
  }

  isResting(name: string): boolean {
    return (this.#pauses.get(this.#accountOf(name))?.untilMs ?? 0) > Date.now();
  }

  whyResting(name: string): string {
    return `\`${name}\` cannot be asked now: ${this.#pauses.get(this.#accountOf(name))?.reason ?? "it rests"}`;
  }

  /** The agent and those that take over from it while it rests. */
  standIns(name: string): ReadonlySet<string> {
    const all = new Set<string>();
    for (let next: string | null = name; next !== null && !all.has(next); ) {
      all.add(next);
      next = this.#config.agents[next]?.fallback ?? null;
    }
    return all;
  }

  /** Nobody who has the same account is started until then. Who rests with it. */
  pause(name: string, pause: Pause): readonly string[] {
    const account = this.#accountOf(name);
    this.#pauses.set(account, pause);
    return Object.keys(this.#config.agents).filter((other) => this.#accountOf(other) === account);
  }

  wake(name: string): void {
    this.#pauses.delete(this.#accountOf(name));
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

  #accountOf(name: string): string {
    const agent = this.#config.agents[name];
    return agent === undefined ? name : accountOf(name, agent); // a decision may be about one that was removed
  }

  async #lackingFor(name: string): Promise<readonly string[]> {
    const agent = this.#config.agents[name];
    const ground = { root: this.#root, baseCommit: this.#baseCommit };
    const { include } = this.#config.workspace;
    return agent === undefined ? [] : uncommittedFiles(agent, { ...ground, include });
  }

  #clientOf(name: string): AgentClient {
    const agent = this.#config.agents[name];
    if (agent === undefined) throw new Error(`there is no agent \`${name}\``);
    const root = this.#root;
    const { env } = agent;
    if (agent.adapter === "command")
      return commandAgent({ run: [...(agent.run ?? []), ...agent.args], root, env });
    if (agent.adapter === "script") return scriptAgent({ script: agent.run?.[0] ?? "", root });
    return realClient(agent.adapter, agent);
  }
}
