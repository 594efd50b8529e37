/** `problems`: what is wrong with an answer, one problem a line. */
export function unusable(problems: string): string {
  return `its answer cannot be used: ${problems.replaceAll("\n", "; ")}`;
}

/** For people who read along: several problems have a line each. */
export function unusableLines(problems: string): readonly string[] {
  const lines = problems.split("\n");
  return lines.length === 1 ? [unusable(problems)] : ["its answer cannot be used:", ...lines];
}
