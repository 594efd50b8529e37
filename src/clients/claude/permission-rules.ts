import { field, isStringList } from "../../core/values/fields.ts";

/** Rules in Claude's settings files: `Bash`, `Bash(npm test)`, `Bash(npm run:*)`, `Bash(git * main)`. */
export interface PermissionRules {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

export function rulesIn(settings: unknown): PermissionRules {
  const listed = (kind: keyof PermissionRules) => {
    const rules = field(field(settings, "permissions"), kind);
    return isStringList(rules) ? rules : [];
  };
  return { allow: listed("allow"), ask: listed("ask"), deny: listed("deny") };
}

/**
 * True if the user's rules let this command run without a question: it is one simple command, a rule allows it, and no
 * rule asks about it or denies it. In doubt it is false, and Claude asks.
 */
export function isAllowed(command: string, all: readonly PermissionRules[]): boolean {
  const text = command.trim();
  const some = (kind: keyof PermissionRules, by: (pattern: string) => RegExp) =>
    all.flatMap((rules) => rules[kind]).some((rule) => patternsIn(rule).some((one) => by(one).test(text)));
  return isSimple(text) && some("allow", exactly) && !some("ask", loosely) && !some("deny", loosely);
}

const literal = /'[^']*'|"[^"$`\\]*"/g;

/** True for a single command without redirections, expansions or substitutions. */
function isSimple(command: string): boolean {
  return !/[;&|<>(){}$`\\\n#"']/.test(command.replace(literal, ""));
}

function patternsIn(rule: string): readonly string[] {
  const [, pattern] = /^Bash(?:\((.*)\))?$/s.exec(rule.trim()) ?? [];
  if (pattern !== undefined) return [pattern];
  return rule.trim() === "Bash" ? ["*"] : [];
}

function exactly(pattern: string): RegExp {
  const [text, more] = pattern.endsWith(":*") ? [pattern.slice(0, -2), "(?: .*)?"] : [pattern, ""];
  return new RegExp(`^${anyOf(text)}${more}$`, "s");
}

/** Matches wherever a program's name may begin, with any arguments. */
function loosely(pattern: string): RegExp {
  return new RegExp(`(?:^|[\\s/'"])${anyOf(pattern.replace(/:?\*$/, "").trimEnd())}`, "s");
}

function anyOf(pattern: string): string {
  return pattern.replace(/[\\^$.+?()[\]{}|]/g, "\\$&").replaceAll("*", ".*");
}
