import { plainOutput } from "../../text/plain-output.ts";
import type { Block } from "./blocks.ts";
import { formats } from "./runner-formats.ts";

const linesMax = 40;
/** Maximum lines of the first failure if there are more. */
const firstMax = 24;
/** A failure is not shown with fewer lines than this. */
const lineMin = 4;
const lineLengthMax = 400;
/** Lines that only say that a script failed. */
const packageManager = /^(?:npm (?:error|ERR!|notice|warn)\b|\s?ELIFECYCLE\b|error Command failed)/;

/**
 * The relevant part of a failing check's output: the failures as its runner reports them. For an unknown runner, the
 * first line that looks like an error with its context, and the end.
 */
export function failingPart(output: string): string {
  const all = plainOutput(output).trimEnd().split("\n").map(shortened);
  if (all.length <= linesMax / 2) return all.join("\n");
  const ofRunner = all.filter((line) => !packageManager.test(line));
  for (const { find, endMatters } of formats) {
    const failures = different(find(ofRunner));
    if (failures.length > 0) return chosen(failures, endMatters).join("\n");
  }
  return (all.length <= linesMax ? all : aroundError(all)).join("\n");
}

function shortened(line: string): string {
  const text = line.replaceAll("\t", "    ").trimEnd();
  return text.length > lineLengthMax ? `${text.slice(0, lineLengthMax).toWellFormed()}…` : text;
}

/** Removes duplicates: some runners repeat all failures at the end. */
function different(blocks: readonly Block[]): readonly Block[] {
  return [...new Map(blocks.map((block) => [block.join("\n"), block])).values()];
}

/** As many failures as fit, in order. */
function chosen(failures: readonly Block[], endMatters: boolean): readonly string[] {
  const lines: string[] = [];
  let shown = 0;
  for (const failure of failures) {
    const max = shown === 0 && failures.length > 1 ? firstMax : linesMax - 1 - lines.length;
    if (shown > 0 && max < Math.min(lineMin, failure.length)) break;
    lines.push(...cut(failure, max, endMatters), "");
    shown += 1;
  }
  lines.pop();
  const left = failures.length - shown;
  return left === 0 ? lines : [...lines, `… and ${left} more failure${left === 1 ? "" : "s"}`];
}

function cut(block: Block, max: number, endMatters: boolean): readonly string[] {
  if (block.length <= max) return block;
  if (!endMatters) return [...block.slice(0, max - 1), "…"];
  return [...block.slice(0, 1), "…", ...block.slice(block.length - (max - 2))];
}

const failing = /\bnot ok\b|\bfail|\berror\b|error:|\bpanic|exception\b|✖|✗/i;
/** Tests that passed, and counts such as `0 failed` and `# fail 0`. */
const fine = /^\s*(?:✔|✓|√|✅|ok\b|PASS)|\b0 (?:fail|error)|\b(?:fail\w*|errors?)\W{0,3}0\b/i;
const before = 4;
const after = 20;

function aroundError(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => failing.test(line) && !fine.test(line));
  if (first === -1 || first >= lines.length - linesMax) return lines.slice(-linesMax);
  const around = lines.slice(Math.max(0, first - before), first + after);
  const end = lines.slice(-(linesMax - 2 - around.length));
  return [...(first > before ? ["…"] : []), ...around, "…", ...end];
}
