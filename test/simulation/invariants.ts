import { isDeepStrictEqual } from "node:util";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import type { EngineLimits } from "../../src/engine/change/engine.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { answerIsWrong, scopeIsAnother, staleIsApplied, startsWhilePaused } from "./check-answers.ts";
import {
  epochsGoBack,
  locksAreMissing,
  locksOverlap,
  type PathEpochs,
  resourcesAreCrowded,
} from "./check-locks.ts";
import {
  endsTooEarly,
  eventsMissing,
  type Retries,
  retriesExceeded,
  startsTooEarly,
  tokensMiscounted,
} from "./check-steps.ts";
import type { Machine } from "./machine.ts";
import type { Operation } from "./operation.ts";
import type { Commit, Sight, Stored } from "./shadow.ts";

interface Acknowledged {
  readonly what: string;
  /** The number of the last event at the time, and the versions of the written tasks. */
  readonly seq: number;
  readonly hash: string | undefined;
  readonly versions: readonly (readonly [task: string, version: number])[];
}

/** Everything that must hold after each commit and at each answer, with the state that the checks need. */
export class Invariants {
  readonly #limits: EngineLimits;
  readonly #machine: Machine;
  readonly #ledger: Ledger;
  readonly #hidden: readonly string[];
  readonly #pathEpochs: PathEpochs = new Map();
  readonly #retries: Retries = new Map();
  readonly #applied = new Map<string, number>();
  readonly #answers = new Map<string, unknown>();
  /** Keys that were used for different requests. */
  readonly sharedKeys = new Set<string>();
  #epochMax = 0;
  #seq = 0;
  #hash: string | undefined;
  checks = 0;
  readonly acknowledged: Acknowledged[] = [];

  constructor(given: {
    readonly limits: EngineLimits;
    readonly machine: Machine;
    readonly ledger: Ledger;
    readonly hidden: readonly string[];
  }) {
    this.#limits = given.limits;
    this.#machine = given.machine;
    this.#ledger = given.ledger;
    this.#hidden = given.hidden;
  }

  /** Requests with a key that were sent and may have been stored. */
  get keys(): readonly string[] {
    return [...this.#applied.keys()];
  }

  *afterCommit(commit: Commit): Iterable<string> {
    this.checks += 1;
    const { after, change, events } = commit;
    if (change.take !== undefined) {
      yield* locksOverlap(after);
      yield* resourcesAreCrowded(after, this.#limits.resources);
      yield* epochsGoBack(commit, this.#pathEpochs);
    }
    yield* locksAreMissing(after);
    yield* this.#epochsRepeat(commit);
    yield* staleIsApplied(commit);
    yield* eventsMissing(commit, this.#seq);
    yield* startsTooEarly(commit);
    yield* startsWhilePaused(commit);
    yield* scopeIsAnother(commit);
    yield* retriesExceeded(commit, this.#retries, this.#limits.reviewRetries);
    yield* endsTooEarly(commit, (task) => this.#runnerLives(commit.before, task));
    yield* tokensMiscounted(commit);
    yield* this.#appliedTwice(commit);
    yield* this.secretsIn(
      [change, events, change.tasks?.map(({ key }) => after.tasks.get(key))],
      "the change",
    );
    this.#seq = events.at(-1)?.seq ?? this.#seq;
    this.#hash = events.at(-1)?.hash ?? this.#hash;
  }

  /** `sight` is that of the end. */
  async afterAnswer(operation: Operation, verdict: Verdict, sight: Sight): Promise<string[]> {
    this.checks += 1;
    const { call, name } = operation.request;
    const problems = [...answerIsWrong(operation, verdict, sight)];
    if (call.key !== undefined) problems.push(...(await this.#answersDiffer(operation, verdict)));
    problems.push(...this.secretsIn(verdict, `the answer to ${name}`));
    if (operation.commits.length > 0)
      this.acknowledged.push({
        what: `${name} ${operation.request.input.task ?? ""}`,
        seq: this.#seq,
        hash: this.#hash,
        versions: operation.commits.flatMap(({ change, after }) =>
          (change.tasks ?? []).map(({ key }) => [key, after.tasks.get(key)?.version ?? 0] as const),
        ),
      });
    return problems;
  }

  /** INV-8. */
  *secretsIn(value: unknown, where: string): Iterable<string> {
    if (this.#hidden.length === 0) return;
    const text = JSON.stringify(value) ?? "";
    const found = this.#hidden.find((secret) => text.includes(secret));
    if (found === undefined) return;
    const at = text.indexOf(found);
    yield `INV-8: a secret is in ${where}: …${text.slice(Math.max(0, at - 80), at)}`;
  }

  /** INV-2: every attempt has a new epoch. */
  *#epochsRepeat({ before, after }: Commit): Iterable<string> {
    for (const [task, { number, epoch }] of after.attempts) {
      if (number === before.attempts.get(task)?.number) continue;
      if (epoch <= this.#epochMax) yield `INV-2: \`${task}\` got epoch ${epoch} after ${this.#epochMax}`;
      this.#epochMax = Math.max(this.#epochMax, epoch);
    }
  }

  /** INV-3: a key is applied once. */
  *#appliedTwice({ change, operation }: Commit): Iterable<string> {
    if (change.request === undefined) return;
    const { key } = change.request;
    const times = (this.#applied.get(key) ?? 0) + 1;
    this.#applied.set(key, times);
    if (times > 1) yield `INV-3: ${operation.request.name} with key ${key} was applied ${times} times`;
  }

  /** INV-3: and every request with it gets the same answer. */
  async #answersDiffer({ request }: Operation, verdict: Verdict): Promise<string[]> {
    const { key = "", dryRun } = request.call;
    const stored = await this.#ledger.answered(key);
    if (stored === undefined || dryRun === true || this.sharedKeys.has(key)) return [];
    const { token: _, ...details } = verdict.details ?? {};
    const given = plain({ ...verdict, details });
    const wanted = plain({ details: {}, ...(stored.answer as object) });
    const first = this.#answers.get(key) ?? given;
    this.#answers.set(key, first);
    if (isDeepStrictEqual(given, wanted) && isDeepStrictEqual(given, first)) return [];
    return [`INV-3: key ${key} was answered ${JSON.stringify(given)} after ${JSON.stringify(wanted)}`];
  }

  #runnerLives(before: Stored, task: string): boolean {
    const runner = before.attempts.get(task)?.runner ?? null;
    return runner === null || this.#machine.isAlive(runner);
  }
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
