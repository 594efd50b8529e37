import type { Row } from "../row/row.ts";

const script = { runs: "script" } as const;

/** Languages that are not followed: inline code, a script with its operands, or code on standard input. */
export const languages: readonly Row[] = [
  {
    names: "php",
    ...script,
    code: "r,run B,process-begin R,process-code E,process-end",
    flags: "a n q",
    harmless: "l,syntax-check i,info m,modules v,version s w",
    values: "f,file F,process-file d,define c,php-ini z,zend-extension S,server t,docroot",
    match: ["php -r 'unlink(1)'", "php a.php"],
    no_match: ["php -l a.php", "php -v"],
  },
  { names: "lua luajit texlua", ...script, code: "e", values: "l", flags: "i v E W", match: ["lua a.lua", "lua -e x"] },
  { names: "tclsh wish jimsh escript dart jshell crystal v zig", ...script, match: ["tclsh a.tcl"] },
  { names: "Rscript littler", ...script, code: "e", values: "default-packages", flags: "vanilla verbose", match: ["Rscript -e x", "Rscript a.R"] },
  { names: "R", ...script, code: "e", values: "f,file g,gui d,debugger args", flags: "no-save vanilla slave q,quiet,silent s", match: ["R -e x"] },
  { names: "osascript", ...script, code: "e", values: "l s", flags: "i", match: ["osascript -e x"] },
  { names: "julia", ...script, code: "e,eval E,print", values: "L,load J,sysimage t,threads p,procs C project", match: ["julia -e x"] },
  { names: "elixir iex", ...script, code: "e,eval", values: "r,require S pr pa pz name sname cookie erl", match: ["elixir -e x"] },
  {
    names: "erl",
    ...script,
    style: "long",
    code: "eval",
    values: "s run pa pz boot config name sname setcookie",
    flags: "noshell noinput",
    match: ["erl -eval x"],
  },
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
