import { allow, type Deny, deny } from "../../core/rules/verdict.ts";
import { field } from "../../core/values/fields.ts";
import type { GuardFacts } from "../../engine/views/guard-facts.ts";
import type { GuardDesk, OwnTask } from "./guard-world.ts";

/** One operation through the host's socket, with the attempt's own task, epoch and token. */
export type AskHost = (operation: "guard-facts" | "guard-record", input: object) => Promise<unknown>;

/** For an agent that Lockstep started: inside the sandbox there is no ledger, only the host that has it. */
export function hostDesk(ask: AskHost, own: Pick<OwnTask, "task">): GuardDesk {
  let asked: Promise<unknown> | undefined;
  const answer = () => {
    asked ??= ask("guard-facts", { task: own.task });
    return asked;
  };
  return {
    facts: async () => {
      const facts = await answer();
      if (isFacts(facts)) return facts;
      throw new Error(`the host gives no facts: ${field(facts, "reason") ?? "what came is no answer"}`);
    },
    whyStale: async () => {
      const facts = await answer();
      if (field(facts, "allow") !== false) return undefined;
      if (field(facts, "code") === "R-LS-001") return facts as Deny;
      throw new Error(`the host gives no facts: ${field(facts, "reason")}`);
    },
    // An agent with a task of its own has nothing to claim.
    boundTask: async () => undefined,
    bind: async () => deny("R-AU-001", `this agent works on task \`${own.task}\` and claims no other`),
    record: async ({ epoch: _, ...violation }) => {
      const told = await ask("guard-record", { ...violation, task: own.task });
      const times = field(field(told, "details"), "times");
      return {
        times: typeof times === "number" ? times : 1,
        loops: field(field(told, "details"), "loops") === true,
      };
    },
    block: async (task, refused) => {
      await ask("guard-record", {
        ...{ task, kind: "refused", agent: null, tool: "", code: refused.code, target: "", bytes: 0 },
        reason: refused.reason,
        block: true,
      });
    },
    // Whoever started this agent asks it for its work, and keeps what a compaction would lose.
    judgeWork: async () => allow(),
    locksSince: async () => [],
    snapshot: async () => undefined,
  };
}

function isFacts(value: unknown): value is GuardFacts {
  return Array.isArray(field(value, "holders")) && typeof field(value, "breaker") === "string";
}
