import type { GuardAnswer, NativeAnswer } from "../../contract/tool-call.ts";

/** Clients take no word for no objection; an `allow` would also answer what they ask their own user. */
export const silent: NativeAnswer = { stdout: "", stderr: "", exit: 0 };

/** In every form that any client blocks on: its document, a reason on stderr, and exit 2. */
export function refusal(document: unknown, reason: string): NativeAnswer {
  return { stdout: line(document), stderr: `${reason}\n`, exit: 2 };
}

/** Something that the client is told without refusing a call. */
export function message(document: unknown): NativeAnswer {
  return { stdout: line(document), stderr: "", exit: 0 };
}

/** Never empty: without a reason some clients let the call through. */
export function reasonOf(answer: GuardAnswer): string {
  const reason = answer.reason.toWellFormed();
  return reason.trim() === "" ? "Lockstep refuses this call" : reason;
}

/** What the model should know beside a result or at a beginning: nothing can be refused there any more. */
export function toldBy(answer: GuardAnswer): string | undefined {
  const parts = [answer.allow ? undefined : reasonOf(answer), answer.context?.toWellFormed()];
  const told = parts.filter((part) => part !== undefined && part.trim() !== "");
  return told.length === 0 ? undefined : told.join("\n\n");
}

/** What the agent goes on with instead of stopping. */
export function goOnOf(answer: GuardAnswer): string | undefined {
  return answer.goOn?.toWellFormed() ?? (answer.allow ? undefined : reasonOf(answer));
}

function line(document: unknown): string {
  return `${JSON.stringify(document)}\n`;
}
