const linesMax = 20;
const before = 2;
const after = 12;
const failing = /\bnot ok\b|\bfail|\berror\b|\bpanic|✖|✗/i;
/** Counts such as `0 failed` and `# fail 0` tell of none. */
const counting = /\b0 (?:fail|error)|\b(?:fail\w*|errors?)\W{0,3}0\b/i;

/** Of what a failing check printed: the first failure with what is around it, and the end. */
export function failureLines(output: string): readonly string[] {
  const lines = output.trimEnd().split("\n");
  if (lines.length <= linesMax) return lines;
  const first = lines.findIndex((line) => failing.test(line) && !counting.test(line));
  if (first === -1 || first >= lines.length - linesMax) return lines.slice(-linesMax);
  const around = lines.slice(Math.max(0, first - before), first + after);
  const end = lines.slice(-(linesMax - around.length));
  return [...(first > before ? ["…"] : []), ...around, "…", ...end];
}
