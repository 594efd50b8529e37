import { keysOf, type OptionSpec } from "../read-options.ts";
import { concat, known, knownStart, literal, type Text, unknownText } from "../text.ts";
import type { Program } from "../types.ts";
import { both, describe, hasSlash, named, reading } from "./row/describe.ts";
import { tellCode } from "./row/tell-code.ts";
import { runWords } from "./row/wrapping.ts";

/** An interpreter of a language that is not followed. */
interface Language extends OptionSpec {
  /** Options whose value is code. */
  readonly code?: string;
}

/** Code that picks and prints lines, and has no word with which a file is written or a command run. */
function onlyPrints(code: Text): boolean {
  const writing =
    /[`>&|]|\$\{?\^|%x|\b(?:open|sysopen|unlink|rename|link|symlink|mkdir|rmdir|truncate|chmod|chown|utime|system|exec|qx|eval|do|require|use|syscall|fork|send|public_send|spawn|load|File|FileUtils|IO|Dir|Kernel|Process|CORE|ARGVOUT)\b|\/\w*e\w*\s*[;}]?\s*$/;
  return !writing.test(known(code) ?? ">");
}

/** perl and ruby: with `-i` the operands are files that are rewritten. */
function rewriting(facts: Language): Program {
  const keys = keysOf(facts.code);
  return reading(
    { ...facts, values: `${facts.code ?? ""} ${facts.values ?? ""}`, wrapper: true },
    (options, effects, call) => {
      const folder = options.value("C");
      const inner = call.name.startsWith("ruby") && folder !== undefined ? effects.within(folder) : effects;
      const code = options.all(...keys);
      for (const loaded of options.all("M", "m", "r")) inner.code(loaded);
      if (options.has("M", "m", "r")) inner.opaque("modules are loaded first");
      if (options.has("v") && code.length === 0) return;
      if (options.has("c") && code.length === 0) return inner.opaque("some code runs while it is checked");
      if (!options.has("i")) {
        const looks = options.has("n", "p") && code.length > 0 && code.every(onlyPrints);
        return tellCode(code, looks ? { ...options, operands: [] } : options, inner, call);
      }
      for (const text of code) inner.code(text);
      inner.opaque("inline code runs");
      const files = code.length > 0 ? options.operands : options.operands.slice(1);
      for (const file of files) if (knownStart(file) !== "--") inner.write(file);
      if (hasSlash(options.value("i"))) inner.write(unknownText);
    },
  );
}

const perl = rewriting({
  code: "e E",
  values: "I",
  glued: "i F M m x C d D V",
  digits: "l 0",
  flags: "n p a s S t T u U w W X c v h g",
});

const ruby = rewriting({
  code: "e",
  values: "I r,require C E,encoding external-encoding internal-encoding",
  glued: "i F K x",
  digits: "0 T W",
  flags: "n p l a s S c,check v w h U y",
});

/** `-Xlog:gc:FILE`, `-XX:OnError=COMMAND`. */
const java: Program = (call, effects) => {
  for (const word of call.args) if (knownStart(word).startsWith("-X")) effects.code(word);
};

const gdb: Program = (call, effects) => {
  const at = call.args.findIndex((word) => /^--?args$/.test(known(word) ?? ""));
  effects.opaque("a debugger runs what it is told");
  for (const word of call.args) {
    const text = knownStart(word);
    effects.code(word);
    if (/^(?:shell|!|make|pipe)\s*/.test(text)) effects.shell(concat(dropWord(word)));
  }
  if (at >= 0) runWords(call.args.slice(at + 1), effects);
};

function dropWord(word: Text): Text {
  const text = known(word);
  return text === undefined ? unknownText : literal(text.replace(/^(?:shell\s|!|make\s|pipe\s)\s*/, ""));
}

export const interpreters = new Map<string, Program>([
  ["perl", perl],
  ...named("ruby jruby", ruby),
  ["java", both(java, describe({ runs: "script" }))],
  ...named("gdb lldb", gdb),
]);
