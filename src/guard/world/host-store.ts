import { allow, type Deny, deny } from "../../core/rules/verdict.ts";
import { field } from "../../core/values/fields.ts";
import type { GuardFacts } from "../../engine/views/guard-facts.ts";
import type { GuardStore, OwnTask } from "./guard-world.ts";

/** One operation through the host's socket, with the attempt's own task, epoch and token. */
export type AskHost = (operation: "guard-facts" | "guard-record", input: object) => Promise<unknown>;

/** For an agent that Lockstep started: inside the sandbox the ledger is available only through the host. */
export function hostStore(ask: AskHost, own: Pick<OwnTask, "task">): GuardStore {
  let asked: Promise<unknown> | undefined;
  const answer = () => {
    asked ??= ask("guard-facts", { task: own.task });
    return asked;
  };
  return {
    facts: async () => {
      const facts = await answer();
      if (isFacts(facts)) return facts;
      throw new Error(
        `the host sent no guard facts: ${field(facts, "reason") ?? "its answer cannot be read"}`,
      );
    },
    whyStale: async () => {
      const facts = await answer();
      if (field(facts, "allow") !== false) return undefined;
      if (field(facts, "code") === "R-LS-001") return facts as Deny;
      throw new Error(`the host sent no guard facts: ${field(facts, "reason")}`);
    },
    // An agent that was started with a task cannot claim one.
    boundTask: async () => undefined,
    bind: async () => deny("R-AU-001", `this agent works on task \`${own.task}\` and cannot claim another`),
    record: async ({ epoch: _, ...violation }) => {
      const recorded = await ask("guard-record", { ...violation, task: own.task });
      const times = field(field(recorded, "details"), "times");
      return {
        times: typeof times === "number" ? times : 1,
        loops: field(field(recorded, "details"), "loops") === true,
      };
    },
    block: async (task, refused) => {
      await ask("guard-record", {
        ...{ task, kind: "refused", agent: null, tool: "", code: refused.code, target: "", bytes: 0 },
        reason: refused.reason,
        block: true,
      });
    },
    // The process that started this agent collects its work, and keeps what a compaction would lose.
    judgeWork: async () => allow(),
    locksSince: async () => [],
    snapshot: async () => undefined,
  };
}

function isFacts(value: unknown): value is GuardFacts {
  return Array.isArray(field(value, "holders")) && typeof field(value, "breaker") === "string";
}
