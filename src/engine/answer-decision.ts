import { field, isStringList } from "../core/points/fields.ts";
import { allow, deny, type Verdict } from "../core/rules/verdict.ts";
import type { Decision } from "../ledger/ledger.ts";
import { Draft } from "./draft.ts";
import type { Call, Engine } from "./engine.ts";
import { loadTask } from "./fence.ts";
import { type Settled, settle } from "./settle.ts";
import { grant, judgeWiden } from "./widen-scope.ts";

export type AnswerInput =
  | { readonly id: string; readonly answer: string }
  | { readonly id: string; readonly cancel: string };

/** A person's answer, and what follows from it, in one commit. */
export function answerDecision(engine: Engine, input: AnswerInput, call: Call): Promise<Verdict> {
  return settle(engine, { operation: "decide", input, call }, async () => {
    const decision = (await engine.ledger.decisions()).find(({ id }) => id === input.id);
    if (decision === undefined)
      return { verdict: deny("R-IN-001", `there is no decision \`${input.id}\`: see \`lockstep decide\``) };
    if (decision.state !== "pending")
      return {
        verdict: deny("R-ST-001", `decision \`${input.id}\` is ${decision.state} already`, {
          state: decision.state,
        }),
      };
    if ("cancel" in input) return close(engine, { decision, call, state: "cancelled", answer: input.cancel });
    const answer = chosen(decision, input.answer);
    if (answer === undefined)
      return {
        verdict: deny(
          "R-IN-001",
          `\`${input.answer}\` is no answer here: one of ${decision.options.join(", ")}`,
          {
            options: decision.options,
          },
        ),
      };
    if (answer === "refused" || decision.kind !== "widen")
      return close(engine, { decision, call, state: "answered", answer });
    return approve(engine, decision, call);
  });
}

/** One of the options; who refuses work may say why: `refused: it is too long`. */
function chosen({ kind, options }: Decision, text: string): string | undefined {
  const [, word = "", said = ""] = /^\s*([^:]*?)\s*(?::\s*([\s\S]*?)\s*)?$/.exec(text) ?? [];
  const option = word.toLowerCase();
  if (!options.includes(option)) return undefined;
  if (said === "") return option;
  const mayReason = (kind === "manual" || kind === "security") && option === "refused";
  return mayReason ? `${option}: ${said}` : undefined;
}

async function approve(engine: Engine, decision: Decision, call: Call): Promise<Settled> {
  const paths = field(decision.data, "paths");
  const why = field(decision.data, "why");
  const loaded = await loadTask(engine, decision.task);
  if (loaded === undefined || loaded.task.state === "MERGED")
    return {
      verdict: deny(
        "R-ST-001",
        `the task that asked is merged: nothing can be added to it; cancel \`${decision.id}\``,
      ),
    };
  const wider = await judgeWiden(
    engine,
    { paths: isStringList(paths) ? paths : [], why: typeof why === "string" ? why : "approved" },
    loaded,
  );
  if ("allow" in wider) return { verdict: wider };
  return grant(engine, wider, call, { ...decision, state: "answered", answer: "approved" });
}

interface Closing {
  readonly decision: Decision;
  readonly call: Call;
  readonly state: "answered" | "cancelled";
  readonly answer: string;
}

async function close(engine: Engine, { decision, call, state, answer }: Closing): Promise<Settled> {
  const draft = new Draft(engine, { by: call, cause: "decide" });
  const closed = { ...decision, state, answer, answeredAt: draft.at };
  const data = { id: decision.id, answer };
  draft.note({ type: `decision.${state}`, task: decision.task, from: null, to: null, data });
  return {
    verdict: allow({ id: decision.id, state, answer }),
    change: await draft.toChange({ decisions: [closed] }),
  };
}
