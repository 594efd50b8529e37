import { readJson } from "../../core/text/read-json.ts";

/** Undefined if the line is not a JSON object, such as a warning between a client's messages. */
export function jsonLine(line: string): unknown {
  return line.startsWith("{") ? readJson(line) : undefined;
}
