import type { Abilities, AgentClient } from "../../clients/agent.ts";
import { commandAgent } from "../../clients/command/run.ts";
import { scriptAgent } from "../../clients/script/run.ts";
import type { Config } from "../../contract/config.ts";
import { accountOf } from "../../core/plan/account.ts";
import { chooseAgent } from "../../core/plan/choose-agent.ts";
import { whyNoLabel } from "../../core/plan/placement.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { mayWorkOn } from "../../hooks/lifecycle/resolve-hooks.ts";
import type { RepositoryState } from "../../workspace/git/repository-state.ts";
import { whyFilesLack } from "./missing-script.ts";
import { realClient } from "./real-client.ts";

/** An agent of the configuration that can be started here. */
export interface Agent {
  readonly name: string;
  readonly role: string;
  readonly model: string | null;
  readonly client: AgentClient;
  readonly can: Abilities;
  /** A coding client: its changes count even if its report is unusable, and it can be asked again. */
  readonly isClient: boolean;
  readonly reworks: "resume" | "fresh";
}

interface Pause {
  readonly untilMs: number;
  readonly reason: string;
}

interface Choice {
  /** The type of the task. */
  readonly type: string | null;
  readonly as: "implementer" | "gatekeeper";
  /** The last attempts failed: the agent under `escalate_to` comes first. */
  readonly failed?: boolean;
  readonly makers?: ReadonlySet<string>;
}

/** The usable agents, and the accounts that are paused because of a quota or a missing login. */
export class Agents {
  readonly #config: Config;
  readonly #labels: readonly string[] | undefined;
  readonly #root: string;
  readonly #baseCommit: string;
  readonly #ready = new Map<string, Agent>();
  /** Name to reason. */
  readonly #unusable = new Map<string, string>();
  /** Account to pause. */
  readonly #pauses = new Map<string, Pause>();

  /** `labels`: those of this machine, if there are several. */
  constructor(
    config: Config,
    { root, baseCommit }: Pick<RepositoryState, "root" | "baseCommit">,
    labels?: readonly string[],
  ) {
    this.#config = config;
    this.#labels = labels;
    this.#root = root;
    this.#baseCommit = baseCommit;
  }

  /** Probes these agents and those that may take over from them. Refuses if one and all its fallbacks are unusable. */
  async prepare(names: Iterable<string>): Promise<Deny | undefined> {
    const wanted = [...names];
    for (const name of this.#withHandovers(wanted)) {
      if (this.#ready.has(name) || this.#unusable.has(name)) continue;
      const unplaced = this.#labels && whyNoLabel(this.#config.agents[name]?.label ?? null, this.#labels);
      if (unplaced !== undefined) {
        this.#unusable.set(name, unplaced);
        continue;
      }
      const client = this.#clientOf(name);
      const probe = await client.probe();
      if (!probe.usable) {
        this.#unusable.set(name, probe.reason);
        continue;
      }
      const lacking = await this.#whyFilesLack(name);
      if (lacking !== undefined) {
        this.#unusable.set(name, lacking);
        continue;
      }
      const { role = "Coder", model = null, adapter, rework = "resume" } = this.#config.agents[name] ?? {};
      const isClient = adapter !== "command" && adapter !== "script";
      this.#ready.set(name, { name, role, model, client, can: probe.can, isClient, reworks: rework });
    }
    const missing = wanted.filter((name) => !this.#isUsable(name));
    if (missing.length === 0) return undefined;
    const reasons = [...new Set(missing)].map(
      (name) => `agent \`${name}\` cannot be used: ${this.#unusable.get(name)}`,
    );
    return deny("R-AG-001", reasons.join("; "));
  }

  /** Whether the agent or one of its fallbacks is usable. */
  #isUsable(name: string, tried = new Set<string>()): boolean {
    if (this.#ready.has(name)) return true;
    const { fallback = null } = this.#config.agents[name] ?? {};
    if (fallback === null || tried.has(name)) return false;
    return this.#isUsable(fallback, tried.add(name));
  }

  /** Why neither the agent nor one of its fallbacks can be used here. */
  whyUnusable(name: string): string | undefined {
    return this.#isUsable(name) ? undefined : (this.#unusable.get(name) ?? "it was not prepared");
  }

  get(name: string): Agent {
    const agent = this.#ready.get(name);
    if (agent === undefined) throw new Error(`agent \`${name}\` was not prepared`);
    return agent;
  }

  /**
   * The planned agent, or one that takes over; undefined while all of them are paused. An agent takes over only tasks of
   * types that it may work on (S2-033), and never reviews its own work.
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
    return `\`${name}\` cannot be used now: ${this.#pauses.get(this.#accountOf(name))?.reason ?? "it is paused"}`;
  }

  /** The agent and its chain of fallbacks. */
  standIns(name: string): ReadonlySet<string> {
    const all = new Set<string>();
    for (let next: string | null = name; next !== null && !all.has(next); ) {
      all.add(next);
      next = this.#config.agents[next]?.fallback ?? null;
    }
    return all;
  }

  /** Pauses all agents with the same account, and returns their names. */
  pause(name: string, pause: Pause): readonly string[] {
    const account = this.#accountOf(name);
    this.#pauses.set(account, pause);
    return Object.keys(this.#config.agents).filter((other) => this.#accountOf(other) === account);
  }

  wake(name: string): void {
    this.#pauses.delete(this.#accountOf(name));
  }

  /** When the first paused agent can work again; undefined if none is paused or none resumes by itself. */
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
    return agent === undefined ? name : accountOf(name, agent); // a decision may name an agent that was removed
  }

  async #whyFilesLack(name: string): Promise<string | undefined> {
    const agent = this.#config.agents[name];
    const ground = { root: this.#root, baseCommit: this.#baseCommit };
    const { include } = this.#config.workspace;
    return agent && whyFilesLack(agent, { ...ground, include });
  }

  #clientOf(name: string): AgentClient {
    const agent = this.#config.agents[name];
    if (agent === undefined) throw new Error(`agent \`${name}\` is not configured`);
    const root = this.#root;
    const { env } = agent;
    if (agent.adapter === "command")
      return commandAgent({ run: [...(agent.run ?? []), ...agent.args], root, env });
    if (agent.adapter === "script") return scriptAgent({ script: agent.run?.[0] ?? "", root });
    return realClient(agent.adapter, agent);
  }
}
