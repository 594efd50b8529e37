import type { TaskState } from "../../src/core/tasks/states.ts";
import type { Call } from "../../src/engine/change/engine.ts";
import { checksOf, goodResult } from "./documents.ts";
import { makePacket, makePaths } from "./packets.ts";
import type { Request } from "./request.ts";
import { worklogOf } from "./scopes.ts";
import type { World } from "./world.ts";

type Action =
  | "add"
  | "dispatch"
  | "same"
  | "retry"
  | "complete"
  | "reject"
  | "release"
  | "widen"
  | "stop"
  | "take"
  | "cancel"
  | "escalate"
  | "resolve"
  | "heartbeat"
  | "submit";

/** What people and programs usually do with a task in each state; all other operations are tried rarely. */
const actions: Readonly<Record<TaskState | "none", readonly (readonly [number, Action])[]>> = {
  none: [
    [6, "dispatch"],
    [4, "add"],
  ],
  PENDING: [
    [20, "dispatch"],
    [1, "cancel"],
    [1, "escalate"],
  ],
  IN_PROGRESS: [
    [2, "dispatch"],
    [1, "release"],
    [0.5, "cancel"],
    [0.5, "escalate"],
    [0.5, "stop"],
    [0.5, "take"],
    [3, "widen"],
    [3, "heartbeat"],
    [3, "submit"],
  ],
  REVIEW: [
    [12, "complete"],
    [9, "reject"],
    [1, "release"],
    [1, "cancel"],
    [1, "escalate"],
    [1, "dispatch"],
  ],
  REJECTED: [
    [12, "dispatch"],
    [1, "cancel"],
    [1, "escalate"],
    [1, "release"],
  ],
  BLOCKED: [
    [8, "dispatch"],
    [5, "same"],
    [4, "retry"],
    [1, "cancel"],
    [1, "escalate"],
    [2, "release"],
  ],
  FAILED: [
    [6, "resolve"],
    [2, "escalate"],
    [2, "dispatch"],
  ],
  ESCALATED: [
    [16, "resolve"],
    [1, "cancel"],
    [1, "dispatch"],
    [1, "release"],
  ],
  MERGED: [
    [1, "dispatch"],
    [1, "cancel"],
    [1, "escalate"],
    [1, "resolve"],
    [1, "complete"],
    [1, "release"],
  ],
};
const anyAction = [...new Set(Object.values(actions).flatMap((list) => list.map(([, action]) => action)))];

/** Programs and people that dispatch tasks and complete results, concurrently and without coordination. */
export class Orchestrators {
  readonly #world: World;
  readonly #packets = new Map<string, object>();

  constructor(world: World) {
    this.#world = world;
  }

  async act(): Promise<Request> {
    const { random, shadow, keys, ledger } = this.#world;
    if (random.chance(shadow.stored.breaker === null ? 0.03 : 0.25)) return this.#global();
    const [decision] = random.chance(0.3) ? await ledger.decisions({ state: "pending" }) : [];
    if (decision !== undefined) return this.#decide(decision.id);
    const open = keys.filter((key) => shadow.stored.tasks.get(key)?.state !== "MERGED");
    const key = random.pick(random.chance(0.97) && open.length > 0 ? open : keys);
    const state = shadow.stored.tasks.get(key)?.state ?? "none";
    const action = random.chance(0.94) ? random.weighted(actions[state]) : random.pick(anyAction);
    return this.#fulfil(action, key);
  }

  #fulfil(action: Action, task: string): Request {
    const { random, secrets, shadow } = this.#world;
    const say = (text: string) => (random.chance(0.95) ? secrets.in(text) : " ");
    const stored = shadow.stored.tasks.get(task);
    switch (action) {
      case "add":
        return this.#request("task-add", { packet: this.#packet(task) });
      case "dispatch":
        return this.#dispatch(task, this.#packet(task));
      case "same":
        return this.#dispatch(task, this.#packets.get(task) ?? this.#packet(task));
      case "retry":
        return this.#request("task-retry", {
          task,
          ...(random.chance(0.7) ? { packet: this.#packet(task) } : {}),
        });
      case "complete":
        return this.#request("complete", this.#completion(task, random.chance(0.6) ? "pass" : undefined));
      case "reject":
        return this.#request("complete", this.#completion(task, secrets.in(random.pick(["fail", "red"]))));
      case "widen":
        return this.#request("widen", { task, paths: makePaths(random, secrets), why: say("more") });
      case "cancel":
        return this.#request("task-cancel", { task, reason: say("no longer wanted") });
      case "escalate":
        return this.#request("task-escalate", { task, reason: say("too hard") });
      case "resolve":
        return this.#request("task-resolve", { task, note: say("do it again") });
      case "submit": {
        if (stored === undefined) return this.#request("task-add", { packet: this.#packet(task) });
        this.#world.machine.append(worklogOf(task), "worked\n");
        return this.#request("submit", { task, document: goodResult(stored) });
      }
      default:
        return this.#request(action, { task });
    }
  }

  #packet(key: string): object {
    const { maker, shadow } = this.#world;
    const packet = makePacket(maker, key, [...shadow.stored.tasks.keys()]);
    this.#packets.set(key, packet);
    return packet;
  }

  #dispatch(task: string, packet: object): Request {
    const { random, machine, agents } = this.#world;
    const runnerPid = random.chance(0.4) ? machine.spawn() : undefined;
    const runner = runnerPid === undefined ? {} : { runnerPid };
    const request = this.#request("dispatch", { packet, ...runner });
    return { ...request, onAnswer: (verdict) => agents.take(verdict, task, runnerPid) };
  }

  #completion(task: string, status: string | undefined): Request["input"] {
    const { random, shadow } = this.#world;
    const stored = shadow.stored.tasks.get(task);
    const said = stored !== undefined && status !== undefined;
    return {
      task,
      ...(said ? { document: { acceptance_check: checksOf(stored, status) } } : {}),
      ...(random.chance(0.8) ? { commit: random.pick(["good", "bad", "gone"]) } : {}),
    };
  }

  #global(): Request {
    const { random, secrets } = this.#world;
    const name = random.weighted([
      [2, "pause"],
      [1, "stop-all"],
      [6, "clear"],
      [1, "status"],
      [1, "lock-list"],
      [1, "audit-list"],
    ] as const);
    return this.#request(
      name,
      ["pause", "stop-all", "clear"].includes(name) ? { reason: secrets.in("wait") } : {},
    );
  }

  #decide(id: string): Request {
    const { random, secrets } = this.#world;
    return this.#request(
      "decide",
      random.chance(0.2)
        ? { id, cancel: secrets.in("no") }
        : { id, answer: random.pick(["approved", "approved", "refused", secrets.in("maybe")]) },
    );
  }

  #request(name: Request["name"], input: Request["input"]): Request {
    const { random, shadow } = this.#world;
    const role = random.chance(0.9) ? "person" : "orchestrator";
    const call: Call = { role, ...(random.chance(0.02) ? { dryRun: true } : {}) };
    const fenced = ["heartbeat", "submit", "complete", "release", "widen", "task-escalate"].includes(name);
    if (!fenced || input.task === undefined || random.chance(0.7)) return { name, input, call };
    const current = shadow.stored.attempts.get(input.task)?.epoch ?? 0;
    const epoch = random.chance(0.8) ? current : random.whole(0, current + 1);
    return { name, input, call: { ...call, epoch }, carried: { task: input.task, epoch } };
  }
}
