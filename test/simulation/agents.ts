import type { Verdict } from "../../src/core/rules/verdict.ts";
import { field } from "../../src/core/values/fields.ts";
import type { Call } from "../../src/engine/change/engine.ts";
import { makeDocument } from "./documents.ts";
import { makePaths } from "./packets.ts";
import { neverCurrent, type Request } from "./request.ts";
import { worklogOf } from "./scopes.ts";
import type { World } from "./world.ts";

/** An agent that was given an attempt, and may continue with it long after it is over. */
interface Agent {
  readonly task: string;
  readonly epoch: number;
  readonly token: string;
  readonly runnerPid: number | undefined;
  /** Hanging: silent until the scheduler wakes it. */
  mood: "working" | "hanging" | "dead";
}

export class Agents {
  readonly #world: World;
  readonly #agents: Agent[] = [];
  readonly #max: number;

  constructor(world: World, max: number) {
    this.#world = world;
    this.#max = max;
  }

  /** An agent gets an open attempt. If no agent is free, the attempt expires. */
  take(verdict: Verdict, task: string, runnerPid: number | undefined): void {
    const [epoch, token] = [field(verdict.details, "epoch"), field(verdict.details, "token")];
    if (!verdict.allow || typeof epoch !== "number" || typeof token !== "string") return;
    const free = this.#agents.findIndex(({ mood }) => mood === "dead");
    if (free >= 0) this.#agents.splice(free, 1);
    if (this.#agents.length < this.#max)
      this.#agents.push({ task, epoch, token, runnerPid, mood: "working" });
  }

  act(): Request | undefined {
    const { random } = this.#world;
    const able = this.#agents.filter(({ mood }) => mood === "working");
    if (able.length === 0) return undefined;
    const agent = random.pick(able);
    const fate = random.weighted([
      [94, "works"],
      [3, "hangs"],
      [3, "dies"],
    ] as const);
    if (fate === "works") return this.#ask(agent);
    if (fate === "hangs") agent.mood = "hanging";
    else this.#die(agent);
    return undefined;
  }

  /** Hanging agents continue as if no time had passed. */
  wake(): void {
    for (const agent of this.#agents)
      if (agent.mood === "hanging" && this.#world.random.chance(0.5)) agent.mood = "working";
  }

  killAll(): void {
    this.#agents.length = 0;
  }

  #die(agent: Agent): void {
    agent.mood = "dead";
    if (agent.runnerPid !== undefined && this.#world.random.chance(0.7))
      this.#world.machine.kill(agent.runnerPid);
  }

  #ask(agent: Agent): Request | undefined {
    const { random, secrets } = this.#world;
    const { task } = agent;
    const why = () => secrets.in("needed");
    return random.weighted<() => Request | undefined>([
      [6, () => this.#request(agent, "heartbeat", { task, ...this.#tokens() })],
      [9, () => this.#submit(agent)],
      [2, () => this.#request(agent, "widen", { task, paths: makePaths(random, secrets), why: why() })],
      [0.5, () => this.#request(agent, "task-escalate", { task, reason: why() })],
      // Not for agents.
      [0.4, () => this.#request(agent, random.pick(["release", "complete"]), { task })],
      [0.3, () => this.#request(agent, "heartbeat", { task: random.pick(["T-1", "T-2"]) })],
      [0.2, () => this.#request(agent, "status", {})],
    ])();
  }

  #tokens(): object {
    const { random } = this.#world;
    if (random.chance(0.5)) return {};
    return { tokens: random.whole(1, 900) };
  }

  #submit(agent: Agent): Request | undefined {
    const world = this.#world;
    const task = world.shadow.stored.tasks.get(agent.task);
    if (task === undefined) return undefined;
    if (world.random.chance(0.9)) world.machine.append(worklogOf(task.key), "worked\n");
    const document = makeDocument(world, task);
    agent.mood = "hanging";
    return this.#request(agent, "submit", { task: agent.task, document }, () => {
      // Most agents stop here; some continue.
      if (world.random.chance(0.8)) this.#die(agent);
      else agent.mood = "working";
    });
  }

  #request(agent: Agent, name: Request["name"], input: Request["input"], onAnswer?: () => void): Request {
    const { random } = this.#world;
    const { task, token } = agent;
    const wrong = random.chance(0.03);
    const epoch = wrong ? Math.max(0, agent.epoch + random.pick([-1, 1])) : agent.epoch;
    const withToken = random.chance(0.7);
    const call: Call = { role: "attempt", task, epoch, ...(withToken ? { token } : {}) };
    const held = withToken && epoch !== agent.epoch ? neverCurrent : epoch;
    // A document for another task is refused before its epoch is checked.
    const carried = input.task === task ? { carried: { task, epoch: held } } : {};
    return { name, input, call, ...carried, ...(onAnswer === undefined ? {} : { onAnswer }) };
  }
}
