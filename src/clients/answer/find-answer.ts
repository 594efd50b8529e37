import { isAnswer } from "../../core/reports/is-answer.ts";
import { isObject } from "../../core/values/fields.ts";
import { scanObject } from "./scan-object.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Real answers are not nested this deep. The limit makes recursion over an answer safe. */
const depthMax = 100;

/**
 * The last JSON object in a text that looks like an answer, else the last object of any kind. It may stand alone, in
 * prose, in a code fence or over several lines.
 */
export function findAnswer(text: string): JsonObject | undefined {
  let found: JsonObject | undefined;
  let answer: JsonObject | undefined;
  // Without this, a text with many opening brackets would be read to its end from each of them.
  const unended = new Set<number>();
  let start = text.indexOf("{");
  while (start >= 0) {
    let end = start + 1;
    if (!unended.delete(start)) {
      const scan = scanObject(text, start);
      if ("unended" in scan) for (const at of scan.unended) unended.add(at);
      else {
        end = scan.end;
        const object = scan.depth <= depthMax ? readObject(text.slice(start, end)) : undefined;
        found = object ?? found;
        if (isAnswer(object)) answer = object;
      }
    }
    start = text.indexOf("{", end);
  }
  return answer ?? found;
}

/** Ignores `{}`, which is code in prose, and a line of usage, which may follow the answer. */
function readObject(json: string): JsonObject | undefined {
  const object: unknown = JSON.parse(json);
  return isObject(object) && Object.keys(object).some((key) => key !== "usage") ? object : undefined;
}
