import { known, knownStart, literal, type Text, unknownText } from "../../text.ts";
import { reportCode } from "../row/report-code.ts";
import type { Hook, Row } from "../row/row.ts";
import { runWords } from "../row/wrapping.ts";
import { awk } from "../text/awk.ts";
import { javascript } from "./javascript.ts";
import { python } from "./python.ts";

const script = { runs: "script" } as const;

/** Code that selects and prints lines, without any word that writes a file or runs a command. */
function onlyPrints(code: Text): boolean {
  const writing =
    /[`>&|]|\$\{?\^|%x|\b(?:open|sysopen|unlink|rename|link|symlink|mkdir|rmdir|truncate|chmod|chown|utime|system|exec|qx|eval|do|require|use|syscall|fork|send|public_send|spawn|load|File|FileUtils|IO|Dir|Kernel|Process|CORE|ARGVOUT)\b|\/\w*e\w*\s*[;}]?\s*$/;
  return !writing.test(known(code) ?? ">");
}

/** perl and ruby: with `-i` the operands are files to rewrite. */
const rewrites: Hook = (options, effects, call) => {
  const code = options.all("e");
  for (const loaded of options.all("M", "m", "r")) effects.code(loaded);
  if (code.length === 0 && options.has("v")) return;
  if (code.length === 0 && options.has("c")) return effects.opaque("some code runs while it is checked");
  if (!options.has("i")) {
    const onlyReads = options.has("n", "p") && code.length > 0 && code.every(onlyPrints);
    return reportCode(code, onlyReads ? { ...options, operands: [] } : options, effects, call);
  }
  for (const text of code) effects.code(text);
  effects.opaque("it runs inline code");
  const files = code.length > 0 ? options.operands : options.operands.slice(1);
  for (const file of files) if (knownStart(file) !== "--") effects.write(file);
};

/** `-ex 'shell COMMAND'`, and the program after `--args`. */
const debugs: Hook = (_, effects, { args }) => {
  for (const word of args) {
    effects.code(word);
    const command = /^(?:shell\s|!|make\s|pipe\s)\s*(.*)$/s.exec(known(word) ?? "")?.[1];
    if (command !== undefined) effects.shell(literal(command));
    else if (/^(?:shell|!|make|pipe)/.test(knownStart(word))) effects.shell(known(word) === undefined ? unknownText : word);
  }
  const at = args.findIndex((word) => /^--?args$/.test(known(word) ?? ""));
  if (at >= 0) runWords(args.slice(at + 1), effects);
};

/** Languages that are not followed: inline code, a script with its operands, or code on standard input. */
export const languages: readonly Row[] = [
  python,
  ...javascript,
  awk,
  {
    names: "perl",
    wrapper: true,
    values: "e,E I",
    glued: "i F M m x C d D V",
    digits: "l 0",
    flags: "n p a s S t T u U w W X c v h g",
    parts: "i",
    besides: [{ when: "M m", opaque: "modules are loaded first" }],
    also: rewrites,
    match: ["perl -pi -e s/a/b/ a b -> a b", "perl -i../x -pe 1 a -> ? a", "perl a.pl", "perl -ne 'print if /x/' a"],
    no_match: ["perl -v"],
  },
  {
    names: "ruby jruby",
    wrapper: true,
    values: "e I r,require E,encoding external-encoding internal-encoding",
    glued: "i F K x",
    digits: "0 T W",
    flags: "n p l a s S c,check v w h U y",
    parts: "i",
    in: "C",
    besides: [{ when: "r", opaque: "modules are loaded first" }],
    also: rewrites,
    match: ["ruby -i -pe x a -> a", "ruby -C d -i -pe x a -> d/a", "ruby a.rb"],
    no_match: ["ruby -v"],
  },
  {
    names: "java",
    ...script,
    // `-Xlog:gc:FILE`, `-XX:OnError=COMMAND`.
    also: (_, effects, call) => {
      for (const word of call.args) if (knownStart(word).startsWith("-X")) effects.code(word);
    },
    match: ["java A.java", "java -XX:OnError=x A"],
  },
  { names: "gdb lldb", opaque: "a debugger can run any command", also: debugs, match: ["gdb -ex 'shell touch a' -> a", "gdb --args touch a -> a"] },
  {
    names: "php",
    ...script,
    code: "r,run B,process-begin R,process-code E,process-end",
    harmless: "l,syntax-check i,info m,modules v,version s w",
    values: "f,file F,process-file d,define c,php-ini z,zend-extension S,server t,docroot",
    match: ["php -r 'unlink(1)'", "php a.php"],
    no_match: ["php -l a.php", "php -v"],
  },
  { names: "lua luajit texlua", ...script, code: "e", values: "l", match: ["lua a.lua", "lua -e x"] },
  { names: "tclsh wish jimsh escript dart jshell crystal v zig", ...script, match: ["tclsh a.tcl"] },
  { names: "Rscript littler", ...script, code: "e", values: "default-packages", match: ["Rscript -e x", "Rscript a.R"] },
  { names: "R", ...script, code: "e", values: "f,file g,gui d,debugger args", match: ["R -e x"] },
  { names: "osascript", ...script, code: "e", values: "l s", match: ["osascript -e x"] },
  { names: "julia", ...script, code: "e,eval E,print", values: "L,load J,sysimage t,threads p,procs C project", match: ["julia -e x"] },
  { names: "elixir iex", ...script, code: "e,eval", values: "r,require S pr pa pz name sname cookie erl", match: ["elixir -e x"] },
  { names: "erl", ...script, style: "long", code: "eval", values: "s run pa pz boot config name sname setcookie", match: ["erl -eval x"] },
  { names: "groovy", ...script, code: "e", values: "cp,classpath c D l", glued: "i", match: ["groovy -e x"] },
  { names: "scala scala-cli amm", ...script, code: "e", values: "cp,classpath c,code", match: ["scala -e x"] },
  { names: "clojure clj bb lein", ...script, code: "e,eval", values: "i,init f,file m,main cp", match: ["bb -e x"] },
  { names: "guile", ...script, code: "c", values: "L C e l s", match: ["guile -c x"] },
  { names: "sbcl ecl clisp", ...script, style: "long", code: "eval x", values: "load l i", match: ["sbcl --eval x"] },
  { names: "racket", ...script, code: "e,eval", values: "f,load t,require l,lib r,script p", match: ["racket -e x"] },
  { names: "octave matlab", ...script, style: "long", code: "eval batch r", values: "path p", match: ["octave --eval x"] },
  { names: "ghci runghc runhaskell swift", ...script, code: "e", match: ["runghc a.hs"] },
  { names: "ocaml utop", ...script, style: "long", code: "e", values: "I init", match: ["ocaml -e x"] },
  { names: "coffee livescript lsc", ...script, code: "e,eval", values: "r,require", match: ["coffee -e x"] },
  { names: "nu elvish xonsh", ...script, code: "c,commands", values: "config env-config e,execute", match: ["nu -c x"] },
  { names: "gnuplot", ...script, code: "e", values: "c", match: ["gnuplot -e x"] },
  { names: "kotlin", ...script, code: "e,expression", values: "cp,classpath", match: ["kotlin -e x"] },
  { names: "nim", opaque: "it compiles and runs", mentions: "all", match: ["nim r a.nim"] },
  { names: "expect", ...script, code: "c", values: "f d D b", match: ["expect -c x"] },
];
