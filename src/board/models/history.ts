import type { HistoryItem, Tone } from "../../contract/board.ts";
import { isObject, isStringList } from "../../core/values/fields.ts";
import type { LedgerEvent } from "../../ledger/ledger.ts";
import { stateWord } from "../../view/words.ts";
import { cut } from "./bounded.ts";

interface Words {
  readonly title: string;
  readonly tone: Tone;
}

/** Events that people see by another name than the ledger's. */
const known: Readonly<Record<string, Words>> = {
  "task.created": { title: "added", tone: "quiet" },
  "task.started": { title: "started", tone: "run" },
  "task.submitted": { title: "handed in", tone: "run" },
  "task.reviewed": { title: "reviewed", tone: "run" },
  "task.merged": { title: "merged", tone: "good" },
  "task.rejected": { title: "rejected", tone: "bad" },
  "task.denied": { title: "refused", tone: "bad" },
  "task.blocked": { title: "reported a blocker", tone: "person" },
  "task.delayed": { title: "waits", tone: "wait" },
  "task.orphaned": { title: "waits: a task that it needs failed", tone: "wait" },
  "task.lost": { title: "lost its process", tone: "bad" },
  "task.stopped": { title: "stopped by a person", tone: "person" },
  "task.halted": { title: "halted", tone: "bad" },
  "task.warned": { title: "warned", tone: "wait" },
  "task.taken": { title: "taken over by a person", tone: "person" },
  "task.retried": { title: "retried", tone: "run" },
  "task.unblocked": { title: "can continue", tone: "run" },
  "task.escalated": { title: "escalated to a person", tone: "person" },
  "task.resolved": { title: "resolved by a person", tone: "person" },
  "task.cancelled": { title: "cancelled", tone: "bad" },
  "task.exhausted": { title: "used up its retries", tone: "bad" },
  "task.rolled-back": { title: "rolled back", tone: "bad" },
  "scope.widened": { title: "scope widened", tone: "person" },
  "decision.asked": { title: "asked a person", tone: "person" },
  "decision.answered": { title: "a person answered", tone: "person" },
  "decision.cancelled": { title: "question cancelled", tone: "quiet" },
  "decision.refused": { title: "answer rejected", tone: "bad" },
  "guard.refused": { title: "a call was refused", tone: "bad" },
  "guard.strayed": { title: "wrote outside its lock", tone: "bad" },
  "guard.looped": { title: "repeats a refused call", tone: "bad" },
  "land.refused": { title: "merge refused", tone: "bad" },
  "land.late": { title: "merged after it had ended", tone: "wait" },
  "task.hooks": { title: "its hooks ran", tone: "quiet" },
  "task.replanned": { title: "plan changed", tone: "quiet" },
  "task.redirected": { title: "given to another agent", tone: "wait" },
  "guard.sent-back": { title: "was sent back to its lock", tone: "bad" },
  "guard.let-go": { title: "wrote outside its lock, and stays", tone: "bad" },
  "locks.released": { title: "locks released", tone: "quiet" },
  "agent.bound": { title: "claimed by an agent", tone: "run" },
};

type Facts = Readonly<Record<string, unknown>>;

const textMax = 1200;
const linesMax = 20;

/** One event of the ledger in words. */
export function historyItem({ seq, at, type, actor, from, to, data }: LedgerEvent): HistoryItem {
  const facts = isObject(data) ? data : {};
  const { title, tone } = known[type] ?? { title: type.replaceAll(/[.-]/g, " "), tone: "quiet" };
  const refusal = isObject(facts.refusal) ? facts.refusal : isObject(facts.fixDelta) ? facts.fixDelta : facts;
  const code = typeof refusal.code === "string" ? refusal.code : null;
  const moved =
    to === null || from === to ? "" : `${from === null ? "" : `${stateWord(from)} → `}${stateWord(to)}`;
  const via = typeof facts.via === "string" ? ` (${facts.via})` : "";
  return {
    ...{ seq, at, tone: verdictTone(facts) ?? tone, code },
    title:
      type === "task.reviewed"
        ? `${String(facts.verdict ?? "reviewed")} by ${String(facts.agent ?? "a reviewer")}`
        : title,
    by: cut(`${whoText(actor)}${via}`, 80),
    text: cut(textOf(type, facts, refusal) || (Object.hasOwn(known, type) ? "" : moved), textMax),
    lines: linesOf(facts)
      .slice(0, linesMax)
      .map((line) => cut(line, 400)),
  };
}

/** `attempt:SESSION/T-1#5` → `its agent`. */
function whoText(actor: string): string {
  return actor.startsWith("attempt:") ? "its agent" : actor;
}

function verdictTone({ verdict }: Facts): Tone | undefined {
  if (verdict === "approved") return "good";
  if (verdict === "refused") return "bad";
  return verdict === "undecided" ? "person" : undefined;
}

function textOf(type: string, facts: Facts, refusal: Facts): string {
  const agent = type === "task.started" ? facts.agent : undefined;
  if (type === "task.warned" && refusal.reason === undefined) return warningText(facts);
  const named = [refusal.reason, refusal.guidance, facts.note, facts.answer, facts.why, facts.summary, agent];
  const parts = named.filter((one): one is string => typeof one === "string" && one.trim() !== "");
  const id = typeof facts.id === "string" ? `${facts.id}: ` : "";
  const commit = typeof facts.commit === "string" ? `commit ${facts.commit.slice(0, 12)}` : "";
  const target = typeof facts.target === "string" ? `${facts.target}: ` : "";
  return `${id}${target}${[...new Set(parts)].slice(0, 2).join("\n") || commit}`.replace(/: $/, "");
}

/** `tokens: 44100 of 50000`. */
function warningText(facts: Facts): string {
  const { signal, halt } = facts;
  if (typeof signal !== "string") return "";
  const used = facts[signal];
  return typeof used === "number"
    ? `${signal}: ${used}${typeof halt === "number" ? ` of ${halt}` : ""}`
    : signal;
}

function linesOf(facts: Facts): readonly string[] {
  return [facts.findings, facts.paths, facts.granted].flatMap((list) => (isStringList(list) ? list : []));
}
