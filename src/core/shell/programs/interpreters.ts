import { keysOf, type OptionSpec, type Options } from "../read-options.ts";
import { known, knownStart, type Text, unknownText } from "../text.ts";
import type { Call, Effects, Program } from "../types.ts";
import { both, hasSlash, named, opaqueProgram, reading } from "./describe.ts";

/** An interpreter of a language that is not followed. */
interface Language extends OptionSpec {
  /** Options whose value is code. */
  readonly code?: string;
  /** Options with which files are only checked or questions answered. */
  readonly looks?: readonly string[];
}

/** Code handed over inline or through standard input, or a script with its operands. */
function language(facts: Language): Program {
  const keys = keysOf(facts.code);
  return reading(
    { ...facts, values: `${facts.code ?? ""} ${facts.values ?? ""}`, wrapper: true },
    (options, effects, call) => {
      if (facts.looks !== undefined && options.has(...facts.looks)) return;
      tellCode(options.all(...keys), options, effects, call);
    },
  );
}

/** The shared part of every interpreter: inline code, a script, or code on standard input. */
export function tellCode(code: readonly Text[], options: Options, effects: Effects, call: Call): void {
  const [script, ...rest] = options.operands;
  if (code.length > 0) {
    for (const text of code) effects.code(text);
    effects.opaque("inline code runs");
    for (const word of options.operands) effects.operand(word);
  } else if (script === undefined || isStandardInput(script)) {
    tellInput(effects, call);
    for (const word of rest) effects.operand(word);
  } else {
    effects.opaque("a script runs", { script });
    const pipe = script.find((piece) => piece.kind === "pipe");
    if (pipe?.kind === "pipe" && pipe.content !== undefined) effects.code(pipe.content);
    for (const word of rest) effects.operand(word);
  }
}

function tellInput(effects: Effects, call: Call): void {
  if (call.input.kind === "none") return;
  if (call.input.kind === "text") effects.code(call.input.text);
  effects.opaque("code from standard input runs");
}

function isStandardInput(script: Text): boolean {
  return /^(?:-|\/dev\/stdin|\/dev\/fd\/0)$/.test(known(script) ?? "");
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

const php = language({
  code: "r,run B,process-begin R,process-code E,process-end",
  values: "f,file F,process-file d,define c,php-ini z,zend-extension S,server t,docroot",
  flags: "l,syntax-check i,info m,modules v,version a n q s w",
  looks: ["l", "i", "m", "v", "s", "w"],
});

/** `-Xlog:gc:FILE`, `-XX:OnError=COMMAND`. */
const java: Program = (call, effects) => {
  for (const word of call.args) if (knownStart(word).startsWith("-X")) effects.code(word);
};

const others: [string, Program][] = [
  ["perl", perl],
  ["ruby", ruby],
  ["jruby", ruby],
  ["php", php],
  ...named("lua luajit texlua", language({ code: "e", values: "l", flags: "i v E W" })),
  ...named("tclsh wish jimsh", language({})),
  ...named("Rscript littler", language({ code: "e", values: "default-packages", flags: "vanilla verbose" })),
  [
    "R",
    language({
      code: "e",
      values: "f,file g,gui d,debugger args",
      flags: "no-save vanilla slave q,quiet,silent s",
    }),
  ],
  ["osascript", language({ code: "e", values: "l s", flags: "i" })],
  ...named(
    "julia",
    language({
      code: "e,eval E,print",
      values: "L,load J,sysimage t,threads p,procs C project",
      glued: "project",
    }),
  ),
  ...named("elixir iex", language({ code: "e,eval", values: "r,require S pr pa pz name sname cookie erl" })),
  [
    "erl",
    language({
      code: "eval",
      values: "s run pa pz boot config name sname setcookie",
      style: "long",
      flags: "noshell noinput",
    }),
  ],
  ["escript", language({})],
  ...named("groovy", language({ code: "e", values: "cp,classpath c D l", glued: "i" })),
  ...named("scala scala-cli amm", language({ code: "e", values: "cp,classpath c,code" })),
  ...named("clojure clj bb lein", language({ code: "e,eval", values: "i,init f,file m,main cp" })),
  ["guile", language({ code: "c", values: "L C e l s" })],
  ...named("sbcl ecl clisp", language({ code: "eval x", values: "load l i", style: "long" })),
  ...named("racket", language({ code: "e,eval", values: "f,load t,require l,lib r,script p" })),
  ...named("octave matlab", language({ code: "eval batch r", values: "path p", style: "long" })),
  ...named("ghci runghc runhaskell", language({ code: "e" })),
  ...named("ocaml utop", language({ code: "e", values: "I init", style: "long" })),
  ...named("swift", language({ code: "e" })),
  ...named("coffee livescript lsc", language({ code: "e,eval", values: "r,require" })),
  ...named("nu elvish xonsh", language({ code: "c,commands", values: "config env-config e,execute" })),
  ...named("gnuplot", language({ code: "e", values: "c" })),
  ...named("dart jshell crystal v zig", language({})),
  ["kotlin", language({ code: "e,expression", values: "cp,classpath" })],
  ["java", both(java, language({}))],
  ["nim", opaqueProgram("it compiles and runs")],
  ...named("expect", language({ code: "c", values: "f d D b" })),
  ...named(
    "gdb lldb",
    language({
      code: "ex,eval-command iex o,one-line",
      values: "x,command s,source p,pid cd d",
      style: "long",
    }),
  ),
];

export const interpreters = new Map<string, Program>(others);
