import { defaultConfig } from "../contract/default-config.ts";
import { deny } from "../core/rules/verdict.ts";
import { bindAgent, boundTask } from "../engine/bind-agent.ts";
import type { Engine } from "../engine/engine.ts";
import { checkEpoch } from "../engine/fence.ts";
import { type GuardFacts, readGuardFacts } from "../engine/guard-facts.ts";
import { recordViolation } from "../engine/record-violation.ts";
import type { Lock } from "../ledger/ledger.ts";
import { identityOf, isAlive } from "../workspace/process-identity.ts";
import type { GuardDesk, GuardSettings } from "./guard-world.ts";

interface DeskParts extends Pick<Engine, "ledger" | "clock"> {
  readonly settings: () => Promise<GuardSettings>;
  /** For a process that keeps them between calls. */
  readonly facts?: () => Promise<GuardFacts>;
  readonly world: Engine["world"];
}

export function ledgerDesk({ ledger, clock, settings, facts, world }: DeskParts): GuardDesk {
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
        return deny("R-LS-001", `task \`${task}\` was never started: stop, and let it be dispatched`, {
          task_id: task,
        });
      const given = { role: "attempt" as const, task, epoch: epoch ?? attempt.epoch };
      return checkEpoch({ ledger }, task, attempt, token === undefined ? given : { ...given, token });
    },
    boundTask: (agent) => boundTask(ledger, agent),
    bind: (agent, task) => bindAgent({ ledger, clock }, { agent, task }),
    record: async (violation) => recordViolation({ ledger, clock, limits: await settings() }, violation),
    block: async (task, refused) => {
      const { refuseAttempt } = await import("../engine/refuse-attempt.ts");
      const engine = blockingEngine({ ledger, clock, world }, await settings());
      await refuseAttempt(engine, { task, refused }, { role: "person", as: "guard" });
    },
    judgeWork: async (task, changed) => {
      const { judgeUnsubmitted } = await import("../engine/judge-unsubmitted.ts");
      return judgeUnsubmitted({ ledger, world, findSecrets }, task, changed);
    },
    locksSince: async (ms, task) => {
      const since = new Date(ms).toISOString();
      const isTheirs = (lock: Lock) =>
        lock.task !== task && (lock.active || (lock.releasedAt ?? "") >= since);
      return (await ledger.locks()).filter((lock) => lock.kind === "path" && isTheirs(lock));
    },
    snapshot: async () => (await import("../engine/take-snapshot.ts")).takeSnapshot({ ledger, clock }),
  };
}

const findSecrets: Engine["findSecrets"] = async (text) =>
  (await import("../core/secrets/find-secrets.ts")).findSecrets(text);

/** What it takes to block a task, and nothing beyond. */
function blockingEngine(
  parts: Pick<Engine, "ledger" | "clock" | "world">,
  { sameError, reviewRetries }: GuardSettings,
): Engine {
  const { tokens, minutes, cost_usd: costUsd } = defaultConfig.limits;
  return {
    ...parts,
    limits: {
      ...{ sameError, reviewRetries, tokens, minutes, costUsd },
      ...{ widen: "never", weakenTests: "ask", delegationDepth: 0, resources: {}, implementers: {} },
    },
    isAlive,
    identityOf,
    baseCommit: async () => undefined,
    judge: async () => ({ error: "a guard runs no checks" }),
    prove: async () => ({ error: "a guard runs no checks" }),
    findSecrets,
    showBreaker: () => {},
    pause: (round) => new Promise((resolve) => setTimeout(resolve, round)),
  };
}
