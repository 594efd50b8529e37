import { shortened } from "../../core/text/quoted.ts";
import { field, isText } from "../../core/values/fields.ts";

const textLengthMax = 20_000;

/** How a call ended, according to its result. */
export function readOutcome(response: unknown, error: unknown): { failed: boolean; text: string } {
  const text = isText(error) ? error : textOf(response);
  return {
    failed: error !== undefined || hasFailed(response),
    text: shortened(text, textLengthMax).toWellFormed(),
  };
}

function hasFailed(response: unknown): boolean {
  if (typeof response === "string") return /^Exit code: [1-9]/.test(response);
  const result = field(response, "resultType") ?? field(response, "result_type");
  const exit = field(field(response, "metadata"), "exit");
  return (
    (result !== undefined && result !== "success") ||
    (typeof exit === "number" && exit !== 0) ||
    field(response, "error") !== undefined ||
    field(response, "interrupted") === true ||
    field(response, "is_error") === true
  );
}

const textKeys = ["textResultForLlm", "text_result_for_llm", "llmContent", "output", "error", "text"];

function textOf(response: unknown): string {
  if (typeof response === "string") return response;
  if (Array.isArray(response)) return response.map(textOf).join("\n");
  const plain = textKeys.map((key) => field(response, key)).find(isText);
  if (plain !== undefined) return plain;
  const content = field(response, "content");
  if (Array.isArray(content)) return textOf(content);
  return ["stdout", "stderr"]
    .map((key) => field(response, key))
    .filter(isText)
    .join("\n");
}
