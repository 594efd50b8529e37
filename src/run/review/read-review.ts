import { readRoleAnswer } from "../../clients/answer/read-role-answer.ts";
import type { Review } from "../../ledger/event-data.ts";

export type ReviewReading = Pick<Review, "verdict" | "summary" | "findings"> | { readonly invalid: string };

/** Reads the verdict from a reviewer's answer. */
export function readReview(
  answer: unknown,
  { task, role }: { readonly task: string; readonly role: string },
): ReviewReading {
  const read = readRoleAnswer(answer, { role, task, isReview: true });
  if ("invalid" in read) return read;
  const { status, summary, findings } = read;
  if (status === "NEEDS_INFO") return { invalid: `\`${status}\` is not a valid answer to a review` };
  const verdict = status === "OK" ? "approved" : status === "NEEDS_DECISION" ? "undecided" : "refused";
  return { verdict, summary, findings };
}
