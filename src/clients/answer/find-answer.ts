import { isAnswer } from "../../core/reports/is-answer.ts";
import { isObject } from "../../core/values/fields.ts";
import { scanObject } from "./scan-object.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Nobody reports so; whoever walks through an answer may do so without care. */
const depthMax = 100;

/**
 * The last JSON object in a text that is meant as an answer, or the last one at all; wherever it stands: alone,
 * between prose, in a fence, over several lines.
 */
export function findAnswer(text: string): JsonObject | undefined {
  let found: JsonObject | undefined;
  let answer: JsonObject | undefined;
  // Without it, a text full of beginnings would be read to its end from each of them.
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

/** `{}` is prose about code, and a line of usage may well come after the answer. */
function readObject(json: string): JsonObject | undefined {
  const object: unknown = JSON.parse(json);
  return isObject(object) && Object.keys(object).some((key) => key !== "usage") ? object : undefined;
}
