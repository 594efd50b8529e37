import { shortened } from "../../core/text/quoted.ts";
import { field, isText } from "../../core/values/fields.ts";

/** What tells most about a call first, in the words of every client's tools. */
const telling = [
  ...["command", "file_path", "filePath", "path", "dir_path", "pattern", "query", "url"],
  ...["prompt", "description"],
];
const lengthMax = 200;

/** One line about a call of a tool: its command, or the path that it is about. */
export function toolLine(input: unknown): string {
  const text = telling.map((name) => field(input, name)).find(isText) ?? "";
  return shortened(text.trim().split(/\r?\n/)[0] ?? "", lengthMax).toWellFormed();
}
