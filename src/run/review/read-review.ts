import { readAnswer } from "../../clients/answer/read-answer.ts";
import { field, isStringList } from "../../core/points/fields.ts";
import type { ReportedTask } from "../../core/reports/submission.ts";
import type { Review } from "../../engine/record-review.ts";

export type ReviewReading = Pick<Review, "verdict" | "summary" | "findings"> | { readonly invalid: string };

const findingsMax = 50;
const findingLengthMax = 1000;
/** Of these two nothing comes in, whatever else the answer says. */
const blocking = /^[\s[(*-]*(?:critical|high)\b/i;

/** What an agent's output says of the work that it looked at. */
export function readReview(
  answer: unknown,
  { task, role }: { readonly task: ReportedTask; readonly role: string },
): ReviewReading {
  const read = readAnswer(answer, { task, role });
  if (read.kind === "invalid") return { invalid: read.reason };
  if (read.output === null)
    return { invalid: "a review is answered with `status`, `summary`, `artifacts`, `gates` and `next`" };
  const { summary, findings, securityConcerns, meetsDefinitionOfDone } = read.output;
  const comments = field(field(answer, "artifacts"), "review_comments");
  const found = [...new Set([...findings, ...securityConcerns, ...(isStringList(comments) ? comments : [])])];
  const told = {
    summary,
    findings: found.slice(0, findingsMax).map((one) => one.slice(0, findingLengthMax)),
  };
  if (read.kind === "question")
    return read.status === "NEEDS_DECISION"
      ? { verdict: "undecided", ...told }
      : { invalid: `\`${read.status}\` is no answer to a review` };
  const isDone = read.report.kind === "result" && read.report.status === "done";
  const refused = !isDone || !meetsDefinitionOfDone || found.some((one) => blocking.test(one));
  return { verdict: refused ? "refused" : "approved", ...told };
}
