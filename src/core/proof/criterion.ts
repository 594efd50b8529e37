/** One acceptance criterion, such as `cmd: npm test` or `manual: it reads well`. */
export type Criterion =
  /** A command, which passes with exit 0. */
  | { readonly kind: "command"; readonly command: string }
  /** A statement that a person confirms. */
  | { readonly kind: "manual"; readonly statement: string }
  /** Any other text: only a claim can confirm it. */
  | { readonly kind: "claim"; readonly text: string };

const form = /^\s*(cmd|manual)\s*:(.*)$/is;

/** The only parser of this grammar; `src/contract/plan.ts` requires a form that it accepts. */
export function readCriterion(line: string): Criterion {
  const [, word = "", rest = ""] = form.exec(line) ?? [];
  switch (word.toLowerCase()) {
    case "cmd":
      return { kind: "command", command: rest.trim() };
    case "manual":
      return { kind: "manual", statement: rest.trim() };
    default:
      return { kind: "claim", text: line.trim() };
  }
}

export function isCommand(line: string): boolean {
  return readCriterion(line).kind === "command";
}

/** The commands among these, each once. */
export function commandsIn(lines: readonly string[]): readonly string[] {
  return unique(lines.map(readCriterion).flatMap((one) => (one.kind === "command" ? [one.command] : [])));
}

/** The statements that a person has to confirm, each once. */
export function statementsIn(lines: readonly string[]): readonly string[] {
  return unique(lines.map(readCriterion).flatMap((one) => (one.kind === "manual" ? [one.statement] : [])));
}

/** A line without a prefix becomes a command. */
export function asCriterion(line: string): string {
  return readCriterion(line).kind === "claim" ? `cmd: ${line.trim()}` : line.trim();
}

function unique(lines: readonly string[]): readonly string[] {
  return [...new Set(lines)];
}
