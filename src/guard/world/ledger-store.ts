import { setTimeout as sleep } from "node:timers/promises";
import { deny } from "../../core/rules/verdict.ts";
import { bindAgent, boundTask } from "../../engine/attempts/bind-agent.ts";
import { recordViolation } from "../../engine/attempts/record-violation.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { checkEpoch } from "../../engine/change/fence.ts";
import { type GuardFacts, readGuardFacts } from "../../engine/views/guard-facts.ts";
import type { Lock } from "../../ledger/ledger.ts";
import type { GuardSettings, GuardStore } from "./guard-world.ts";

interface StoreParts extends Pick<Engine, "ledger" | "clock"> {
  readonly settings: () => Promise<GuardSettings>;
  /** For a process that keeps facts between calls. */
  readonly facts?: () => Promise<GuardFacts>;
  readonly world: Engine["world"];
}

const guard = { role: "guard" } as const;

export function ledgerStore({ ledger, clock, settings, facts, world }: StoreParts): GuardStore {
  let read: Promise<GuardFacts> | undefined;
  const own = () => {
    read ??= readGuardFacts({ ledger });
    return read;
  };
  return {
    facts: facts ?? own,
    whyStale: async ({ task, token, epoch }) => {
      const attempt = await ledger.attempt(task);
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
    boundTask: (agent) => boundTask(ledger, agent),
    bind: (agent, task) => bindAgent({ ledger, clock }, { agent, task }, guard),
    record: async (violation) =>
      recordViolation({ ledger, clock, limits: await settings() }, violation, guard),
    block: async (task, refused) => {
      const { refuseAttempt } = await import("../../engine/attempts/refuse-attempt.ts");
      const store = { ledger, clock, limits: await settings(), pause: (round: number) => sleep(round) };
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
      return (await ledger.locks()).filter((lock) => lock.kind === "path" && isTheirs(lock));
    },
    snapshot: async () =>
      (await import("../../engine/views/take-snapshot.ts")).takeSnapshot({ ledger, clock }),
  };
}

const findSecrets: Engine["findSecrets"] = async (text) =>
  (await import("../../core/secrets/find-secrets.ts")).findSecrets(text);
