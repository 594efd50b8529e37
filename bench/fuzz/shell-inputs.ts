import fc from "fast-check";
import { commandBytesMax } from "../../src/core/shell/machine.ts";
import { shellCommands } from "../shell-commands.ts";

/** Random shell commands, for scripts/fuzz.ts. */
const commands = shellCommands().filter((command) => command.length <= 4000);
const corpusCommand = fc.constantFrom(...commands);
const metaCharacters = [..." \t\n'\"`$(){}[]<>|&;\\#!~*?=+-/.,:%@^0aA\0é\u2028\ud800"];

export const randomText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: fc.constantFrom(...metaCharacters), maxLength: 120 }),
  fc
    .array(fc.constantFrom(...commands.flatMap((command) => command.split(/(?<=[ ;|&<>(){}"'$])/))), {
      maxLength: 40,
    })
    .map((parts) => parts.join("")),
);

/** Corpus commands spliced into each other, with characters cut, doubled and changed. */
export const mutatedCommand = fc
  .tuple(
    corpusCommand,
    fc.array(
      fc.record({
        at: fc.nat(),
        cut: fc.nat(12),
        put: fc.oneof(fc.constant(""), fc.constantFrom(...metaCharacters), corpusCommand),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  )
  .map(([command, steps]) =>
    steps.reduce((text, { at, cut, put }) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + put + text.slice(from + cut);
    }, command),
  );

const expansions = ["f", "{f:-x}", "{f%.*}", "{#f}", "{f[@]}", "((1+2))", "(pwd)"].map((text) => `$${text}`);
const words = [...expansions, "`ls`", '"$@"', '"$(cat x)"'];
const plainWords =
  "src/a/x.ts src/b/x.ts *.ts {a,b}/{1..3} 'a_b' ~/.x $'\\x41' -rf -i -c --out=src/b 1 /dev/null !x x=1".split(
    " ",
  );
const programs =
  "echo cat rm cp mv sed tee git find xargs env sudo bash sh eval exec cd pushd export source trap read printf node python3 make tar curl dd ln mkdir touch install rsync awk perl time nohup test [ true unknown-tool".split(
    " ",
  );
const redirections = "> >> < >| &> 2> <> 3>&1 <<<".split(" ");
const joints = ["; ", " && ", " || ", " | ", " & ", "\n"];

/** Commands from a small grammar of the shell. */
export function grammarCommand(): fc.Arbitrary<string> {
  const word = fc.constantFrom(...words, ...plainWords);
  const redirection = fc.tuple(fc.constantFrom(...redirections), word).map((parts) => parts.join(" "));
  const simple = fc
    .tuple(
      fc.constantFrom(...programs),
      fc.array(word, { maxLength: 4 }),
      fc.array(redirection, { maxLength: 2 }),
    )
    .map(([name, words, ends]) => [name, ...words, ...ends].join(" "));
  const { command } = fc.letrec<{ command: string }>((tie) => {
    const one = tie("command");
    const two = fc.tuple(one, one);
    return {
      command: fc.oneof(
        { maxDepth: 5, depthIdentifier: "shell" },
        simple,
        fc.tuple(one, fc.constantFrom(...joints), one).map((parts) => parts.join("")),
        one.map((inner) => `( ${inner} )`),
        one.map((inner) => `{ ${inner}; }`),
        one.map((inner) => `echo "$(${inner})"`),
        one.map((inner) => `diff <(${inner}) >(${inner})`),
        one.map((inner) => `bash -c '${inner.replaceAll("'", "'\\''")}'`),
        one.map((inner) => `f() { ${inner}; }; f a b`),
        one.map((inner) => `cat <<EOF | sh\n${inner}\nEOF`),
        two.map(([test, body]) => `if ${test}; then ${body}; else ${test}; fi`),
        two.map(([test, body]) => `while ${test}; do ${body}; done`),
        fc.tuple(word, one).map(([list, body]) => `for f in ${list} b; do ${body}; done`),
        fc.tuple(word, one).map(([value, body]) => `case ${value} in *) ${body};; b|c) ${body};; esac`),
      ),
    };
  });
  return command;
}

/** One repeated piece, up to the maximum length of a command: anything worse than linear becomes visible. */
export const repeatedPiece = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: fc.constantFrom(...metaCharacters), minLength: 1, maxLength: 6 }),
      corpusCommand,
      grammarCommand(),
    ),
    fc.constantFrom("", " ", ";", "\n", "|", "&&", "$("),
    fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 2, max: 60 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1000, max: commandBytesMax }) },
    ),
  )
  .map(([piece, joint, times]) => {
    const unit = piece + joint;
    return unit.repeat(Math.min(times, Math.floor(commandBytesMax / unit.length)));
  });

const growths = [
  "x=$x$x",
  'x="$x $x"',
  "x+=$x",
  "x=$(echo $x $x)",
  "read x <<< $x$x",
  "printf -v x %s%s $x $x",
  'set -- "$@" "$@"',
  "set -- $x $x $1$1",
  "for i in $x $x; do x=$x$i; done",
  "while foo; do x=$x$x; done",
  'f() { f "$@" "$@"; }; f a',
  "f() { x=$x$x; f; }; f",
  "f() { g $1$1; }; g() { f $1$1; }; f a",
  "alias a='a a'; a",
  "trap 'x=$x$x' EXIT",
  "eval x=$x$x",
  "x={$x,$x}; eval echo $x",
  "foo && cd $x || cd b",
  "pushd $x",
  ...['x=("{x[@]}" "{x[@]}")', 'x+=("{x[@]}")', "x={x//a/aa}", "x={x/#/$x}", "x={y:-$x$x}"].map((text) =>
    text.replaceAll("{", "${"),
  ),
];

/** Short commands that make ever longer values: the cost must be limited by the length of the command. */
export const growingCommand = fc
  .tuple(
    fc.constantFrom("x=a", "x=aaaaaaaaaa", "set -- a b", "x=(a b)", "x='a b c'"),
    fc.array(fc.constantFrom(...growths), { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 40 }),
    fc.constantFrom(
      "echo $x > $x",
      'touch "$@"',
      "rm $x",
      'eval "$x"',
      "cat <<< $x",
      'touch "$x"/{a,b}',
      "$x",
    ),
  )
  .map(([start, grow, times, use]) => [start, ...Array(times).fill(grow).flat(), use].join("\n"));
