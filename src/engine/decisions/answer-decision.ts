import { allow, deny, type Verdict } from "../../core/rules/verdict.ts";
import { gateOf } from "../../core/session/gate-ids.ts";
import { asOption } from "../../core/session/plain-words.ts";
import { mayReason } from "../../core/tasks/decision-kinds.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { loadTask } from "../change/fence.ts";
import { type Settled, settle } from "../change/settle.ts";
import { blockedSession, gateAnswer, refuseGateAnswer } from "./answer-gate.ts";
import { answerContinue } from "./ask-continue.ts";
import { decisionNamed } from "./decision-ids.ts";
import { grant, judgeWiden } from "./widen-scope.ts";

export type AnswerInput =
  | { readonly id: string; readonly answer: string }
  | { readonly id: string; readonly cancel: string };

/** Stores a person's answer and its consequences in one commit. */
export function answerDecision(engine: Engine, input: AnswerInput, call: Admitted): Promise<Verdict> {
  return settle(engine, { operation: "decide", input, call }, async () => {
    const decision = decisionNamed(await engine.ledger.decisions(), input.id);
    if ("allow" in decision) return { verdict: decision };
    if (decision.state !== "pending")
      return {
        verdict: deny("R-ST-001", `decision \`${decision.id}\` is already ${decision.state}`, {
          state: decision.state,
        }),
      };
    if ("cancel" in input) return cancel(engine, { decision, reason: input.cancel, call });
    const gate = gateOf(decision.id);
    const answer = gate === undefined ? chosen(decision, input.answer) : gateAnswer(gate, input.answer);
    if (answer === undefined)
      return gate === undefined
        ? { verdict: noAnswer(decision, input.answer) }
        : refuseGateAnswer(engine, { decision, gate, text: input.answer, call });
    if (decision.kind === "weakened" && answer === "accept") return { verdict: needsReason(decision) };
    if (decision.kind === "continue") return answerContinue(engine, { decision, answer, call });
    if (answer === "refused" || decision.kind !== "widen")
      return close(engine, { decision, call, state: "answered", answer });
    return approve(engine, decision, call);
  });
}

async function cancel(
  engine: Engine,
  { decision, reason, call }: { decision: Decision; reason: string; call: Admitted },
): Promise<Settled> {
  if (reason.trim() === "")
    return { verdict: deny("R-IN-001", `say why \`${decision.id}\` is cancelled: --cancel "…"`) };
  return close(engine, { decision, call, state: "cancelled", answer: reason });
}

function noAnswer({ options }: Decision, text: string): Verdict {
  const valid = options.length === 0 ? "answer in your own words" : `answer one of ${options.join(", ")}`;
  return deny("R-IN-001", `\`${text}\` is not a valid answer: ${valid}`, { options });
}

/** The reason for accepting is kept in the proof. */
function needsReason({ id }: Decision): Verdict {
  return deny("R-IN-001", `say why: \`lockstep decide ${id} "accept: REASON"\``, { id });
}

/** People often type only the amount: `50k tokens`. */
function inOwnWords({ kind, options }: Decision, text: string): string {
  const said = asOption(text, options);
  if (kind !== "continue" || !/^(?:continue\s+)?\$?\d/i.test(said)) return said;
  return `continue: ${said.replace(/^continue\s+/i, "")}`;
}

/** One of the options, or free text if there are none. A reason may follow: `refused: it is too long`. */
function chosen(decision: Decision, text: string): string | undefined {
  const { kind, options } = decision;
  const said = inOwnWords(decision, text);
  if (kind === "question" && options.length === 0) return said === "" ? undefined : said;
  const word = said.toLowerCase();
  const exact = options.find((one) => one.toLowerCase() === word);
  if (exact !== undefined) return exact;
  for (const option of options) {
    if (!word.startsWith(option.toLowerCase())) continue;
    const [, reason] = /^\s*:\s*([\s\S]*)$/.exec(said.slice(option.length)) ?? [];
    if (reason === "") return option;
    if (reason !== undefined && mayReason(kind, option)) return `${option}: ${reason}`;
  }
  return undefined;
}

async function approve(engine: Engine, decision: Decision, call: Admitted): Promise<Settled> {
  const { paths = [], why = "approved" } = decision.data ?? {};
  const loaded = await loadTask(engine, decision.task);
  if (loaded === undefined || loaded.task.state === "MERGED")
    return {
      verdict: deny(
        "R-ST-001",
        `the task that asked is already merged, so its scope cannot change: cancel \`${decision.id}\``,
      ),
    };
  const wider = await judgeWiden(engine, { paths, why }, loaded);
  if ("allow" in wider) return { verdict: wider };
  return grant(engine, wider, call, { ...decision, state: "answered", answer: "approved" });
}

interface Closing {
  readonly decision: Decision;
  readonly call: Admitted;
  readonly state: "answered" | "cancelled";
  readonly answer: string;
}

async function close(engine: Engine, { decision, call, state, answer }: Closing): Promise<Settled> {
  const draft = new Draft(engine, { by: call, cause: "decide" });
  const closed = { ...decision, state, answer, answeredAt: draft.at };
  const data = { id: decision.id, answer };
  draft.note({ type: `decision.${state}`, task: decision.task, from: null, to: null, data });
  const isLost = state === "cancelled" && gateOf(decision.id) !== undefined;
  const sessions = isLost ? await blockedSession(draft, decision, answer) : [];
  return {
    verdict: allow({ id: decision.id, state, answer }),
    change: await draft.toChange({ decisions: [closed], sessions }),
  };
}
