import type { Operation } from "../../contract/tool-call.ts";
import { readPatch } from "../../core/shell/programs/text/patch-targets.ts";
import type { Argument } from "./arguments.ts";
import { wordsOfTool } from "./tool-names.ts";

const readingWords = new Set("read get list search find fetch query".split(" "));
/** Tools such as `find_and_replace` and `get_or_create` do not only read. */
const changingWords = new Set(
  `write edit replace create delete update set put post move rename remove insert append save patch apply add copy
    upload run exec execute eval shell bash terminal send commit push merge import install upsert drop`.split(
    /\s+/,
  ),
);
const statement =
  /^\s*(?:select|with|insert|update|delete|copy|create|drop|alter|attach|merge|call|load|pragma|mutation|vacuum)\b/i;
const shellSigns = /[;&|<>`$\n]/;

/** A tool with an unknown name: its fields show what it may do. */
export function readUnknown(tool: string, given: readonly Argument[]): Operation {
  const words = wordsOfTool(tool);
  const saysItReads =
    words.some((word) => readingWords.has(word)) && !words.some((word) => changingWords.has(word));
  const isCommand = ({ key, role, text }: Argument) =>
    role === "command" && !(saysItReads && key.toLowerCase() === "input" && !shellSigns.test(text));
  const commands = given.filter(isCommand);
  const runs = commands.length > 0;
  const takesTwo = words.some((word) => /^(?:copy|move|rename|link|cp|mv|ln)$/.test(word));
  const isPath = ({ key, role }: Argument) =>
    role === "path" || (role === "folder" && !runs) || (takesTwo && /^(?:from|to)$/i.test(key));
  const rest = given.filter((one) => !isCommand(one) && !isPath(one));
  const holdsContent = rest.some(({ role, text }) => role === "content" || statement.test(text));
  return {
    kind: "unknown",
    reads: saysItReads && !runs && !holdsContent,
    paths: [
      ...new Set([
        ...given.filter(isPath).map(({ text }) => text),
        ...rest.flatMap(({ text }) => patched(text)),
      ]),
    ],
    commands: commands.map(({ text }) => text),
    texts: rest.map(({ text }) => text),
  };
}

function patched(text: string): string[] {
  return /^[ \t]*\*\*\* Begin Patch/m.test(text) ? readPatch(text).map(({ path }) => path) : [];
}
