/** `problems`: the faults of an answer, one per line. */
export function unusable(problems: string): string {
  return `its answer cannot be used: ${problems.replaceAll("\n", "; ")}`;
}

/** For progress output: several problems have a line each. */
export function unusableLines(problems: string): readonly string[] {
  const lines = problems.split("\n");
  return lines.length === 1 ? [unusable(problems)] : ["its answer cannot be used:", ...lines];
}
