import { known, knownParts, literal, type Text, unknownText } from "../../text.ts";
import type { Effects } from "../../types.ts";

/** `w FILE` and `!COMMAND` in lines passed to ed, ex or vi. */
export function reportEditorCommands(code: Text, effects: Effects): void {
  effects.code(code);
  const text = knownParts(code);
  for (const line of text.split(/[\n|]/)) {
    const command = line.slice(startOf(line));
    const write =
      /^[\d,.$%'<>+-]*\s*(?:wq|wqa|w|W|x|sav|saveas|write|up|update)!?\s+(?:>>\s*)?([^!\s>].*)$/.exec(
        command,
      );
    if (write?.[1] !== undefined) effects.write(unclearAsUnknown(write[1].trim()));
    const run = /^[\d,.$%'<>+-]*\s*(?:(?:write|read|w|r)\s*)?!(.+)$/.exec(command);
    if (run?.[1] !== undefined) effects.shell(unclearAsUnknown(run[1].trim()));
  }
  if (known(code) === undefined) effects.opaque("the editor's commands are not known");
}

/** The position of the command, after spaces and colons. */
function startOf(line: string): number {
  let at = 0;
  while (at < line.length && /[\s:]/.test(line[at] ?? "")) at++;
  return at;
}

function unclearAsUnknown(text: string): Text {
  return text.includes("\u{fffd}") ? unknownText : literal(text);
}
