import { setTimeout as sleep } from "node:timers/promises";
import { isHere } from "../../core/leases/lease.ts";
import { deny } from "../../core/rules/verdict.ts";
import { bindAgent } from "../../engine/attempts/bind-agent.ts";
import { recordViolation } from "../../engine/attempts/record-violation.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { checkEpoch } from "../../engine/change/fence.ts";
import type { Ledger, Lock } from "../../ledger/ledger.ts";
import { markClaimed } from "./claimed-here.ts";
import type { GuardSettings, GuardStore } from "./guard-world.ts";
import { freshReads, type GuardReads } from "./kept-facts.ts";

interface StoreParts extends Pick<Engine, "ledger" | "clock" | "machine"> {
  readonly settings: () => Promise<GuardSettings>;
  /** For a process that keeps facts between calls. */
  readonly reads?: GuardReads;
  readonly world: Engine["world"];
  readonly stateFolder: string;
}

const guard = { role: "guard" } as const;

export function ledgerStore({ settings, world, reads, stateFolder, ...source }: StoreParts): GuardStore {
  const { ledger, clock, machine } = source;
  const { facts, attempt: attemptAt, boundTask } = reads ?? freshReads(source);
  return {
    facts,
    whyStale: async ({ task, token, epoch }) => {
      const attempt = await attemptAt(task);
      if (attempt === undefined)
        return deny(
          "R-LS-001",
          `task \`${task}\` was never started: stop; the task must be dispatched first`,
          {
            task_id: task,
          },
        );
      const given = { role: "attempt" as const, task, epoch: epoch ?? attempt.epoch };
      return checkEpoch({ ledger }, task, attempt, token === undefined ? given : { ...given, token });
    },
    boundTask,
    bind: async (agent, task) => {
      const bound = await bindAgent(source, { agent, task }, guard);
      if (bound.allow && machine !== undefined) markClaimed(stateFolder, agent);
      return bound;
    },
    record: async (violation) =>
      recordViolation({ ledger, clock, limits: await settings() }, violation, guard),
    block: async (task, refused) => {
      const { refuseAttempt } = await import("../../engine/attempts/refuse-attempt.ts");
      const store = { ...source, limits: await settings(), pause: (round: number) => sleep(round) };
      await refuseAttempt(store, { task, refused }, guard);
    },
    judgeWork: async (task, changed) => {
      const { judgeUnsubmitted } = await import("../../engine/attempts/judge-unsubmitted.ts");
      return judgeUnsubmitted({ ledger, world, findSecrets }, task, changed);
    },
    locksSince: async (ms, task) => {
      const since = new Date(ms).toISOString();
      const isTheirs = (lock: Lock) =>
        lock.task !== task && (lock.active || (lock.releasedAt ?? "") >= since);
      const theirs = (await ledger.locks()).filter((lock) => lock.kind === "path" && isTheirs(lock));
      return machine === undefined ? theirs : onMachine(ledger, theirs, machine);
    },
    snapshot: async () =>
      (await import("../../engine/views/take-snapshot.ts")).takeSnapshot({ ledger, clock }),
  };
}

/** Work on another machine changes nothing in the trees of this one. */
async function onMachine(ledger: Ledger, locks: readonly Lock[], machine: string): Promise<readonly Lock[]> {
  const keys = [...new Set(locks.map(({ task }) => task))];
  const attempts = await Promise.all(keys.map((key) => ledger.attempt(key)));
  const here = new Set(keys.filter((_, at) => isHere(attempts[at] ?? {}, machine)));
  return locks.filter(({ task }) => here.has(task));
}

const findSecrets: Engine["findSecrets"] = async (text) =>
  (await import("../../core/secrets/find-secrets.ts")).findSecrets(text);
