/** The lines that one failure is told in. */
export type Block = readonly string[];

export interface Shape {
  /** The part of the output that has them; all of it where nothing is said. */
  readonly within?: { readonly from: RegExp; readonly to?: RegExp };
  readonly starts: RegExp;
  /** The first line after a block, besides the start of the next one. */
  readonly ends?: RegExp;
  /** A block with such a line is none. */
  readonly unless?: RegExp;
  /** Lines that say nothing. */
  readonly drop?: RegExp;
  /** Whether the end of a long block tells more than its beginning. */
  readonly endMatters?: boolean;
}

/** Lines that begin a block right after each other begin one together. */
export function blocksOf(lines: readonly string[], shape: Shape): readonly Block[] {
  const { within, starts, ends, unless, drop } = shape;
  const blocks: string[][] = [];
  let inside = within === undefined;
  let block: string[] | undefined;
  let isBeginning = false;
  for (const line of lines) {
    if (within?.from.test(line)) inside = true;
    else if (inside && within?.to?.test(line)) inside = false;
    const isStart = inside && starts.test(line);
    if (isStart && !(isBeginning && block !== undefined)) {
      block = [line];
      blocks.push(block);
    } else if (!inside || (!isStart && ends?.test(line))) block = undefined;
    else block?.push(line);
    isBeginning = isStart;
  }
  return blocks
    .filter((one) => unless === undefined || !one.some((line) => unless.test(line)))
    .map((one) => trimmed(drop === undefined ? one : one.filter((line) => !drop.test(line))));
}

function trimmed(block: Block): Block {
  const first = block.findIndex((line) => line.trim() !== "");
  const last = block.findLastIndex((line) => line.trim() !== "");
  return block.slice(Math.max(0, first), last + 1);
}
