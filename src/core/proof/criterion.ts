/** One line of what must hold, such as `cmd: npm test` or `manual: it reads well`. */
export type Criterion =
  /** Run; passes with exit 0. */
  | { readonly kind: "command"; readonly command: string }
  /** A person says whether it is true. */
  | { readonly kind: "manual"; readonly statement: string }
  /** Neither: somebody's word has to do. */
  | { readonly kind: "claim"; readonly text: string };

const form = /^\s*(cmd|manual)\s*:(.*)$/is;

/** The one place that knows the grammar; `src/contract/plan.ts` demands a form that this reads. */
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

/** What a person has to confirm among these, each once. */
export function statementsIn(lines: readonly string[]): readonly string[] {
  return unique(lines.map(readCriterion).flatMap((one) => (one.kind === "manual" ? [one.statement] : [])));
}

/** As a criterion: a line that does not say what it is is a command. */
export function asCriterion(line: string): string {
  return readCriterion(line).kind === "claim" ? `cmd: ${line.trim()}` : line.trim();
}

function unique(lines: readonly string[]): readonly string[] {
  return [...new Set(lines)];
}
