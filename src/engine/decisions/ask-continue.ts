import { type BudgetSignal, moreOf, readAmount } from "../../core/loops/budgets.ts";
import { isMeta } from "../../core/names/task-name.ts";
import { allow, type Deny, deny } from "../../core/rules/verdict.ts";
import { haltIn } from "../../core/tasks/halt-details.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { DecisionData } from "../../ledger/decision-data.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { loadTask } from "../change/fence.ts";
import type { Settled } from "../change/settle.ts";
import { nextDecisionId } from "./decision-ids.ts";

type Halt = Pick<DecisionData, "signal" | "limit">;

const newer = "it has used up a budget again";

/**
 * Asks, in the same commit, whether a task that a budget has just ended may continue. For a role of a session,
 * the session itself asks.
 */
export async function askToContinue(draft: Draft, task: Task): Promise<readonly Decision[]> {
  const halt = haltOf(task);
  if (halt === undefined || isMeta(task.key)) return [];
  const { signal, limit } = halt;
  const all = await draft.engine.ledger.decisions();
  const asked: Decision = {
    ...{ id: nextDecisionId(all), version: 0, kind: "continue", task: task.key },
    // By default, the same amount again.
    question: `${sentenceOf(task.refusal?.reason)} Grant it ${moreOf({ signal, amount: limit })} (or another amount) and continue, or stop?`,
    options: ["continue", "stop"],
    data: halt,
    ...{ state: "pending", answer: null, askedAt: draft.at, answeredAt: null },
  };
  const old = all.filter(
    (one) => one.kind === "continue" && one.task === task.key && one.state === "pending",
  );
  for (const { id } of old) note(draft, task, "cancelled", { id, answer: newer });
  note(draft, task, "asked", { id: asked.id, kind: asked.kind, ...halt });
  return [
    ...old.map((one): Decision => ({ ...one, state: "cancelled", answer: newer, answeredAt: draft.at })),
    asked,
  ];
}

function note(draft: Draft, { key }: Task, step: string, data: object): void {
  draft.note({ type: `decision.${step}`, task: key, from: null, to: null, data });
}

function haltOf({ refusal }: Task): Required<Halt> | undefined {
  const { signal, limit } = haltIn(refusal) ?? {};
  const isBudget = signal === "tokens" || signal === "minutes" || signal === "cost_usd";
  return isBudget && typeof limit === "number" ? { signal, limit } : undefined;
}

/** The reason of a refusal as a sentence. */
function sentenceOf(reason = ""): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

/** Handles the answers `continue`, `continue: 20000` and `stop`, with their effect on the task. */
export async function answerContinue(
  engine: Engine,
  { decision, answer, call }: { decision: Decision; answer: string; call: Admitted },
): Promise<Settled> {
  const loaded = await loadTask(engine, decision.task);
  if (loaded?.task.state !== "ESCALATED")
    return { verdict: notWaiting(decision, loaded?.task.state ?? "missing") };
  const [, word, said = ""] = /^(continue|stop)(?::\s*([\s\S]*))?$/.exec(answer) ?? [];
  const { signal, limit } = decision.data as Required<Halt>;
  const amount = said === "" ? limit : readAmount(said, signal);
  if (word === "continue" && amount === undefined) return { verdict: noAmount(decision, signal, said) };
  const draft = new Draft(engine, { by: call, cause: "decide" }).seen(loaded);
  const moved = await draft.apply(
    loaded.task,
    word === "continue" && amount !== undefined
      ? { type: "resolve", note: `continue: ${moreOf({ signal, amount })}`, more: { signal, amount } }
      : { type: "cancel", reason: said === "" ? "stopped by a person after its budget was used up" : said },
  );
  if ("allow" in moved) return { verdict: moved };
  const { id } = decision;
  note(draft, moved, "answered", { id, answer });
  const closed: Decision = { ...decision, state: "answered", answer, answeredAt: draft.at };
  return {
    verdict: allow({ id, state: "answered", answer, task_id: moved.key, task_state: moved.state }),
    change: await draft.toChange({ decisions: [closed] }),
  };
}

function notWaiting({ id, task }: Decision, state: string): Deny {
  const reason = `task \`${task}\` is ${state}, so there is nothing to continue: cancel the decision with \`lockstep decide ${id} --cancel "…"\``;
  return deny("R-ST-001", reason, { id, state });
}

const examples: Readonly<Record<BudgetSignal, string>> = {
  tokens: "continue: 20000",
  minutes: "continue: 30",
  cost_usd: "continue: $2",
};

function noAmount({ id }: Decision, signal: BudgetSignal, said: string): Deny {
  const example = `\`lockstep decide ${id} "${examples[signal]}"\``;
  return deny("R-IN-001", `\`${said}\` is not an amount: name how much more, for example ${example}`, { id });
}
