import type { HereDoc, HereString, Redirection } from "unbash";
import { expandQuoted } from "./expand-word.ts";
import type { Machine } from "./machine.ts";
import { concat, known, literal, type Text, unknownText } from "./text.ts";
import type { Input } from "./types.ts";
import type { World } from "./world.ts";

export interface Redirected {
  readonly input: Input;
  /** True if what the command prints goes to a file and not on. */
  readonly printsElsewhere: boolean;
  /** True if a file is opened, which may fail. */
  readonly opens: boolean;
}

/** Reports every file that the redirections open for writing; tells what the command will read. */
export function redirect(
  m: Machine,
  redirections: readonly Redirection[],
  world: World,
  input: Input,
): Redirected {
  let result: Redirected = { input, printsElsewhere: false, opens: false };
  for (const redirection of redirections) {
    if (redirection.type === "Redirect") {
      result = redirectFile(m, redirection, world, result);
      continue;
    }
    const text =
      redirection.type === "HereDoc" ? body(m, redirection, world) : hereString(m, redirection, world);
    const { descriptor } = redirection;
    if (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 0))
      result = { ...result, input: { kind: "text", text } };
    // Whatever reads another descriptor may take the text for code.
    else m.report.mention("redirection", text, world, false);
  }
  return result;
}

function hereString(m: Machine, redirection: HereString, world: World): Text {
  const text = redirection.target === undefined ? unknownText : m.single(redirection.target, world);
  return concat(text, literal("\n"));
}

type FileRedirection = Extract<Redirection, { type: "Redirect" }>;

function redirectFile(m: Machine, redirection: FileRedirection, world: World, so: Redirected): Redirected {
  const targets = redirection.target === undefined ? [] : m.fields(redirection.target, world);
  const { operator, descriptor } = redirection;
  if (descriptor?.type === "FileDescriptorVariable") m.counted.add(descriptor.name);
  if (operator === "<" || operator === "<&")
    return { ...so, input: inputFrom(operator, targets[0]), opens: true };
  const copies = operator === ">&" && targets.every(isDescriptor);
  if (!copies)
    for (const target of targets)
      m.report.write("redirection", target, world, { action: "write", tree: false });
  const number = descriptor?.type === "FileDescriptor" ? descriptor.value : undefined;
  const all = operator === "&>" || operator === "&>>";
  const prints = operator !== "<>" && (all || descriptor === undefined || number === 1);
  const opens = so.opens || !copies;
  return { ...so, opens, printsElsewhere: so.printsElsewhere || prints };
}

function inputFrom(operator: string, target: Text | undefined): Input {
  if (operator === "<&" || target === undefined) return { kind: "unknown" };
  const pipe = target.find((piece) => piece.kind === "pipe");
  if (pipe?.kind === "pipe")
    return pipe.content === undefined ? { kind: "unknown" } : { kind: "text", text: pipe.content };
  if (known(target) === "/dev/null") return { kind: "none" };
  return { kind: "file", path: target };
}

function isDescriptor(target: Text): boolean {
  return /^(?:\d+-?|-)$/.test(known(target) ?? "");
}

function body(m: Machine, heredoc: HereDoc, world: World): Text {
  const { parts, text } = heredoc.body;
  const tabs = heredoc.operator === "<<-" ? /^\t+/gm : undefined;
  if (parts === undefined || heredoc.delimiter?.quoted === true)
    return literal(tabs ? text.replace(tabs, "") : text);
  const expanded = expandQuoted(m, parts, world);
  if (tabs === undefined) return expanded;
  return expanded.flatMap((piece) =>
    piece.kind === "literal" ? literal(piece.text.replace(tabs, "")) : [piece],
  );
}
