/** The lines that describe one failure. */
export type Block = readonly string[];

export interface Shape {
  /** The part of the output that contains the blocks; default: all of it. */
  readonly within?: { readonly from: RegExp; readonly to?: RegExp };
  readonly starts: RegExp;
  /** Matches the first line after a block, in addition to the start of the next one. */
  readonly ends?: RegExp;
  /** A block with a matching line is ignored. */
  readonly unless?: RegExp;
  /** Lines to leave out. */
  readonly drop?: RegExp;
  /** True if the end of a long block is more useful than its beginning. */
  readonly endMatters?: boolean;
}

/** Consecutive start lines begin a single block. */
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
