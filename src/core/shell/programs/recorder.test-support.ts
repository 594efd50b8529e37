import { concat, literal, type Text, unknownText } from "../text.ts";
import type { Effects, Input } from "../types.ts";
import { findProgram } from "./programs.ts";

/** Words for tests: separated by spaces, quotes kept together, `$U` for unknown text, `<below>` for paths that find prints. */
export function words(line: string): Text[] {
  const out: Text[] = [];
  for (const match of line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)) out.push(word(match[0]));
  return out;
}

function word(spelled: string): Text {
  const parts = spelled.match(/'[^']*'|"[^"]*"|\$U|<below>|[^'"$<]+|[$<]/g) ?? [];
  return concat(...parts.map(part));
}

function part(spelled: string): Text {
  if (spelled === "$U") return unknownText;
  if (spelled === "<below>") return [{ kind: "below" }];
  return literal(/^['"]/.test(spelled) ? spelled.slice(1, -1) : spelled);
}

export function spell(text: Text): string {
  return text
    .map((piece) => ("text" in piece ? piece.text : piece.kind === "unknown" ? "$U" : `<${piece.kind}>`))
    .join("");
}

function inputText(input: Input | undefined): string {
  if (input === undefined) return "";
  return input.kind === "text" ? ` << ${spell(input.text)}` : ` < ${input.kind}`;
}

/** Records the effects that a program reports, one line each. */
export function record(lines: string[], prefix = ""): Effects {
  const say = (line: string) => void lines.push(prefix + line);
  return {
    write: (target, action = "write", options = {}) =>
      say(`${action} ${spell(target)}${options.tree === true ? " **" : ""}`),
    refuse: (kind) => say(`refuse ${kind}`),
    hooks: () => undefined,
    index: () => undefined,
    opaque: () => say("opaque"),
    operand: (text) => say(`operand ${spell(text)}`),
    code: (text) => say(`code ${spell(text)}`),
    run: (list, options = {}) => {
      const env = (options.env ?? []).map((entry) => `${entry.name}=${spell(entry.value)} `).join("");
      say(`run ${env}${list.map(spell).join(" ")}${inputText(options.input)}`);
    },
    shell: (code, args = []) => say(`shell ${[code, ...args].map(spell).join(" | ")}`),
    within: (folder) => record(lines, `${prefix}in ${spell(folder)}: `),
  };
}

/** The reported effects of a command line, joined by `; `. */
export function report(line: string, input: Input = { kind: "none" }): string {
  const [name, ...args] = words(line);
  const program = findProgram(spell(name ?? []));
  if (program === undefined) return "unknown program";
  const lines: string[] = [];
  program({ name: spell(name ?? []), args, input }, record(lines));
  return lines.join("; ");
}

export const given = (text: string): Input => ({ kind: "text", text: literal(text) });
