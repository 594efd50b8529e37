import { shortened } from "../../core/text/quoted.ts";
import { field, isText } from "../../core/values/fields.ts";

/** The most informative arguments of any client's tools, in order of preference. */
const telling = [
  ...["command", "file_path", "filePath", "path", "dir_path", "pattern", "query", "url"],
  ...["prompt", "description"],
];
const lengthMax = 200;

/** One line about a tool call: its command, its path, or another argument. */
export function toolLine(input: unknown): string {
  const text = telling.map((name) => field(input, name)).find(isText) ?? "";
  return shortened(text.trim().split(/\r?\n/)[0] ?? "", lengthMax).toWellFormed();
}
