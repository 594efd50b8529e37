import { askAgain } from "../../clients/answer/read-answer.ts";
import { unusable, unusableLines } from "../../clients/answer/unusable.ts";
import { type Asking, askAgent } from "./ask-agent.ts";
import type { RunContext } from "./run-context.ts";

export interface Questioning<Answer> extends Omit<Asking, "resume"> {
  /** What its last object says, or why it cannot be used. */
  read(answer: unknown): Promise<Answer | { readonly invalid: string }>;
  /** Told of every answer that cannot be used. */
  say(text: string): void;
}

/** `how`: through nobody's fault where it is not `failed`. */
export interface Unanswered {
  readonly unanswered: string;
  readonly how: "failed" | "limited" | "unauthenticated" | "unavailable" | "stopped";
}

/** S4: an agent that gives no valid answer is asked twice more. */
const asksMax = 3;

/** Starts an agent until it gives an answer that can be used; who has a conversation is asked again in it. */
export async function askForAnswer<Answer extends object>(
  context: Pick<RunContext, "config" | "secrets">,
  { read, say, ...asking }: Questioning<Answer>,
): Promise<Answer | Unanswered> {
  let [prompt, resume] = [asking.prompt, undefined as string | undefined];
  for (let asks = 1; ; asks += 1) {
    const { end, conversation } = await askAgent(context, {
      ...asking,
      prompt,
      ...(resume === undefined ? {} : { resume }),
    });
    if (end.how !== "done" && end.how !== "failed")
      return { unanswered: "reason" in end ? end.reason : end.how, how: end.how };
    const found =
      end.how === "failed"
        ? { invalid: `${end.reason}\n${end.output}`.trim() }
        : await read(context.secrets.maskIn(end.answer));
    if (!("invalid" in found)) return found;
    unusableLines(found.invalid).forEach(say);
    if (asks === asksMax) return { unanswered: unusable(found.invalid), how: "failed" };
    // Only in its own conversation does it know what it answered.
    if (end.how === "done" && asking.agent.can.resume && conversation !== undefined)
      [prompt, resume] = [askAgain(found.invalid), conversation];
  }
}
