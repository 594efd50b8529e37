import { readJson } from "../../core/text/read-json.ts";

/** Undefined where it is no JSON object: a warning that a client printed between its messages. */
export function jsonLine(line: string): unknown {
  return line.startsWith("{") ? readJson(line) : undefined;
}
