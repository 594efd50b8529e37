import { readRoleAnswer } from "../../clients/answer/read-role-answer.ts";
import type { Review } from "../../ledger/event-data.ts";

export type ReviewReading = Pick<Review, "verdict" | "summary" | "findings"> | { readonly invalid: string };

/** What an agent's output says of the work that it looked at. */
export function readReview(
  answer: unknown,
  { task, role }: { readonly task: string; readonly role: string },
): ReviewReading {
  const read = readRoleAnswer(answer, { role, task, isReview: true });
  if ("invalid" in read) return read;
  const { status, summary, findings } = read;
  if (status === "NEEDS_INFO") return { invalid: `\`${status}\` is no answer to a review` };
  const verdict = status === "OK" ? "approved" : status === "NEEDS_DECISION" ? "undecided" : "refused";
  return { verdict, summary, findings };
}
