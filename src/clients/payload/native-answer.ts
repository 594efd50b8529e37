import type { GuardAnswer, NativeAnswer } from "../../contract/tool-call.ts";

/** No output means no objection. An explicit `allow` would also answer the client's question to its user. */
export const silent: NativeAnswer = { stdout: "", stderr: "", exit: 0 };

/** A refusal in every form that clients know: the document, a reason on stderr, and exit 2. */
export function refusal(document: unknown, reason: string): NativeAnswer {
  return { stdout: line(document), stderr: `${reason}\n`, exit: 2 };
}

/** A document that does not refuse the call. */
export function message(document: unknown): NativeAnswer {
  return { stdout: line(document), stderr: "", exit: 0 };
}

/** Never empty, because some clients allow a call that is refused without a reason. */
export function reasonOf(answer: GuardAnswer): string {
  const reason = answer.reason.toWellFormed();
  return reason.trim() === "" ? "Lockstep refuses this call" : reason;
}

/** Text for the model at events where nothing can be refused: after a call, or at the start of a session. */
export function contextOf(answer: GuardAnswer): string | undefined {
  const parts = [answer.allow ? undefined : reasonOf(answer), answer.context?.toWellFormed()];
  const texts = parts.filter((part) => part !== undefined && part.trim() !== "");
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

/** What the agent has to do instead of stopping; undefined if it may stop. */
export function continuationOf(answer: GuardAnswer): string | undefined {
  return answer.goOn?.toWellFormed() ?? (answer.allow ? undefined : reasonOf(answer));
}

function line(document: unknown): string {
  return `${JSON.stringify(document)}\n`;
}
