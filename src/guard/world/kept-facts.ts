import { boundTask } from "../../engine/attempts/bind-agent.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { type GuardFacts, readGuardFacts } from "../../engine/views/guard-facts.ts";
import type { Attempt } from "../../ledger/ledger.ts";
import { StoreFault } from "../../ledger/store-fault.ts";

/** What the guard reads of the ledger for almost every call. */
export interface GuardReads {
  facts(): Promise<GuardFacts>;
  attempt(task: string): Promise<Attempt | undefined>;
  boundTask(agent: string): Promise<string | undefined>;
}

/** A hook has to be answered, so a server that does not answer in this time counts as unreachable. */
const readMsMax = 1000;

/** For a process that answers many calls: everything is read again only after a change in the ledger. */
export function keptReads({ ledger, machine }: Pick<Engine, "ledger" | "machine">): GuardReads {
  let version: string | undefined;
  const kept = new Map<string, Promise<unknown>>();
  const once = <T>(name: string, read: () => Promise<T>): Promise<T> => {
    // The version is read first, so that a change during the read makes the result outdated.
    const now = ledger.version();
    if (now !== version) kept.clear();
    version = now;
    const known = kept.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const reading = ledger.clock === undefined ? read() : inTime(read());
    kept.set(name, reading);
    reading.catch(() => {
      if (kept.get(name) === reading) kept.delete(name); // the next call tries again
    });
    return reading;
  };
  return {
    facts: () => once("facts", () => readGuardFacts({ ledger, machine })),
    attempt: (task) => once(`attempt ${task}`, () => ledger.attempt(task)),
    boundTask: (agent) => once(`bound ${agent}`, () => boundTask(ledger, agent)),
  };
}

/** For a process that answers one call. */
export function freshReads({ ledger, machine }: Pick<Engine, "ledger" | "machine">): GuardReads {
  let facts: Promise<GuardFacts> | undefined;
  return {
    facts: () => {
      facts ??= readGuardFacts({ ledger, machine });
      return facts;
    },
    attempt: (task) => ledger.attempt(task),
    boundTask: (agent) => boundTask(ledger, agent),
  };
}

function inTime<T>(read: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => {
    reject(new StoreFault("unreachable", `the ledger did not answer within ${readMsMax} ms`));
  }, readMsMax);
  read.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
