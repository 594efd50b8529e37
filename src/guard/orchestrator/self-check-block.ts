import { selfCheckText } from "../../core/rules/self-check.ts";

const begin = "<!-- lockstep: orchestrator self-check, begin -->";
const end = "<!-- lockstep: orchestrator self-check, end -->";

/** A text has one of our markers and not the other; the message ends with what to do about it. */
class BrokenBlockFault extends Error {
  override readonly name = "BrokenBlockFault";
  readonly code = "E-CONFIG";

  constructor() {
    super(`\`${begin}\` and \`${end}\` do not stand in pairs: delete what is left of the block by hand`);
  }
}

/** For CLAUDE.md, AGENTS.md and GEMINI.md. */
export function selfCheckBlock(): string {
  return [begin, "## Orchestrator self-check", "", selfCheckText(), end].join("\n");
}

/** The text with the block at its end, or in place of an older one. */
export function withBlock(text: string, block: string): string {
  const own = text.includes("\r\n") ? block.replaceAll("\n", "\r\n") : block;
  if (blocksIn(text) > 0) return replaceFirst(text, own);
  if (text === "") return `${own}\n`;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  // A text that ends without a line break gets none after the block either: that tells what it was.
  return text.endsWith("\n") ? `${text}${eol}${own}${eol}` : `${text}${eol}${eol}${own}`;
}

/** The text as it was before the block, byte for byte where nothing was written after it. */
export function withoutBlock(text: string): string {
  if (blocksIn(text) === 0) return text;
  const at = text.indexOf(begin);
  const before = text.slice(0, at);
  const after = text.slice(text.indexOf(end) + end.length);
  if (after === "") return before.replace(/(?:\r?\n){1,2}$/, "");
  const rest = after.replace(/^\r?\n/, "");
  return withoutBlock(before.replace(/(\r?\n)\r?\n$/, "$1") + rest);
}

/** Each with a beginning and an end, in that order. */
function blocksIn(text: string): number {
  const marks = text
    .split(/(<!-- lockstep: orchestrator self-check, (?:begin|end) -->)/)
    .filter((_, at) => at % 2 === 1);
  if (marks.some((mark, at) => mark !== (at % 2 === 0 ? begin : end)) || marks.length % 2 === 1)
    throw new BrokenBlockFault();
  return marks.length / 2;
}

function replaceFirst(text: string, block: string): string {
  return text.slice(0, text.indexOf(begin)) + block + text.slice(text.indexOf(end) + end.length);
}
