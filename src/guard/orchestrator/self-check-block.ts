import { selfCheckText } from "../../core/rules/self-check.ts";

const begin = "<!-- lockstep: orchestrator self-check, begin -->";
const end = "<!-- lockstep: orchestrator self-check, end -->";

/** A text has only one of the two markers. */
class BrokenBlockFault extends Error {
  override readonly name = "BrokenBlockFault";
  readonly code = "E-CONFIG";

  constructor() {
    super(`\`${begin}\` and \`${end}\` are not paired: delete the rest of the block by hand`);
  }
}

/** The block for CLAUDE.md, AGENTS.md and GEMINI.md. */
export function selfCheckBlock(): string {
  return [begin, "## Orchestrator self-check", "", selfCheckText(), end].join("\n");
}

/** Appends the block to the text, or replaces an older one. */
export function withBlock(text: string, block: string): string {
  const own = text.includes("\r\n") ? block.replaceAll("\n", "\r\n") : block;
  if (blocksIn(text) > 0) return replaceFirst(text, own);
  if (text === "") return `${own}\n`;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  // Without a final line break in the text, there is none after the block either, so that the original can be restored.
  return text.endsWith("\n") ? `${text}${eol}${own}${eol}` : `${text}${eol}${eol}${own}`;
}

/** Removes the block. The result is the original text byte for byte, if nothing was added after the block. */
export function withoutBlock(text: string): string {
  if (blocksIn(text) === 0) return text;
  const at = text.indexOf(begin);
  const before = text.slice(0, at);
  const after = text.slice(text.indexOf(end) + end.length);
  if (after === "") return before.replace(/(?:\r?\n){1,2}$/, "");
  const rest = after.replace(/^\r?\n/, "");
  return withoutBlock(before.replace(/(\r?\n)\r?\n$/, "$1") + rest);
}

/** Counts the blocks, each with a begin and an end marker in that order. */
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
