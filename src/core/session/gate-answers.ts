import { isYes } from "./plain-words.ts";
import type { Strategy } from "./session.ts";

/** Readers of a person's answer at a gate. Undefined: the question is asked again. */

/** The keyword of `answer` is in lower case; the person's own words follow unchanged (S4-100, S4-101). */
export function readApproval(
  answer: string,
):
  | { readonly approved: true; readonly answer: string }
  | { readonly approved: false; readonly answer: string; readonly request: string }
  | undefined {
  const text = answer.trim();
  const approved = /^approved(?![\w-])/i.exec(text);
  if (approved !== null) return { approved: true, answer: `approved${text.slice(approved[0].length)}` };
  if (isYes(text)) return { approved: true, answer: "approved" };
  const [, request] = /^(?:changes?(?:-requested)?|no|reject|refuse)\s*[:,]\s*(\S[\s\S]*)$/i.exec(text) ?? [];
  return request === undefined
    ? undefined
    : { approved: false, answer: `changes-requested: ${request}`, request };
}

const strategies: Readonly<Record<string, Strategy>> = {
  "per-batch": "per-batch",
  perbatch: "per-batch",
  batch: "per-batch",
  "per-task": "per-batch",
  "single-final": "single-final",
  singlefinal: "single-final",
  single: "single-final",
  final: "single-final",
};

/** Accepts the spellings of the two strategies (S4-104, S4-105). */
export function readStrategy(answer: string): Strategy | undefined {
  const word = answer
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, "-");
  return Object.hasOwn(strategies, word) ? strategies[word] : undefined;
}

export interface PlannedWork {
  readonly tasks: number;
  readonly hasDependencies: boolean;
  readonly isRisky: boolean;
}

/** The strategy that is proposed to the person. */
export function recommendedStrategy({ tasks, hasDependencies, isRisky }: PlannedWork): Strategy {
  return tasks >= 5 || hasDependencies || isRisky ? "per-batch" : "single-final";
}

/** The role that makes a requested change to the design. */
export function correctorFor(
  request: string,
  { hasDesignSpec }: { readonly hasDesignSpec: boolean },
): "SpecAgent" | "Architect" | "Designer" {
  if (/\b(?:spec(?:ification)?|requirements?|acceptance|criteri(?:on|a)|scope|goals?)\b/i.test(request))
    return "SpecAgent";
  if (hasDesignSpec && /\b(?:design-?spec|ui|ux|screens?|layout|colou?rs?|look)\b/i.test(request))
    return "Designer";
  return "Architect";
}
