import { known, knownStart, literal, unknownText, withoutStart } from "../text.ts";
import type { Program } from "../types.ts";
import { describe, named, reading } from "./row/describe.ts";
import { runWithAssignments, runWords } from "./row/wrapping.ts";

/** `flock FILE command`, `flock FILE -c CODE`, `flock FD`: the lock file is created. */
const flock = reading(
  {
    values: "w,wait,timeout E,conflict-exit-code",
    flags: "s,shared x,exclusive u,unlock n,nb o F",
    wrapper: true,
  },
  (options, effects) => {
    const [file, ...words] = options.operands;
    if (file === undefined) return;
    if (!/^\d+$/.test(known(file) ?? "")) effects.write(file);
    const isCode = /^(?:-c|--command)$/.test(known(words[0] ?? []) ?? "");
    if (isCode) effects.shell(words[1] ?? unknownText);
    else runWords(words, effects);
  },
);

/** `strace -o '|COMMAND'` hands the trace to a command. */
const strace = reading(
  {
    values:
      "o,output e,trace p,attach s,string-limit a,columns u,user E,env P,trace-path S,summary-sort-by X b I O",
    wrapper: true,
  },
  (options, effects) => {
    for (const output of options.all("o")) {
      if (/^[|!]/.test(knownStart(output))) effects.shell(withoutStart(output, 1));
      else effects.write(output);
    }
    runWithAssignments([...options.all("E"), ...options.operands], effects);
  },
);

/** `setarch [ARCH] command`: the machine's kind may be left out. */
const setarch: Program = (call, effects) => {
  const first = call.args.findIndex((word) => !knownStart(word).startsWith("-"));
  const isKind = /^(?:linux(?:32|64)|i\d86|x86_64|aarch64|arm\w*|uname26|ppc\w*|s390x?)$/;
  const named = first >= 0 && isKind.test(known(call.args[first] ?? []) ?? "");
  const words = named ? call.args.toSpliced(first, 1) : call.args;
  setarchOptions({ ...call, args: words }, effects);
};
const setarchOptions = describe({ flags: "R B F I L S T X Z 3 v", runs: "operands" });

/** util-linux: `script -c CODE FILE`; BSD: `script FILE command…`. */
const script = reading(
  {
    values: "c,command I,log-in O,log-out B,log-io T,log-timing o,output-limit E,echo m,logging-format",
    glued: "t,timing",
    flags: "a,append e,return f,flush q,quiet force",
  },
  (options, effects) => {
    for (const file of [...options.all("I", "O", "B", "T"), ...options.operands.slice(0, 1)])
      effects.write(file);
    const code = options.value("c");
    if (code !== undefined) effects.shell(code);
    else runWords(options.operands.slice(1), effects);
    if (options.operands.length === 0 && !options.has("I", "O", "B")) effects.write(literal("typescript"));
  },
);

/** bubblewrap: how many words each option takes. */
const bwrapArity: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    "bind dev-bind ro-bind bind-try dev-bind-try ro-bind-try symlink setenv chmod file bind-data ro-bind-data overlay"
      .split(" ")
      .map((name) => [name, 2]),
  ),
  ...Object.fromEntries(
    "args unsetenv userns userns2 pidns uid gid hostname chdir exec-label file-label proc dev tmpfs mqueue dir seccomp add-seccomp-fd block-fd userns-block-fd info-fd json-status-fd sync-fd lock-file remount-ro cap-add cap-drop perms size overlay-src tmp-overlay ro-overlay argv0 "
      .split(" ")
      .map((name) => [name, 1]),
  ),
};

const bwrap: Program = (call, effects) => {
  let at = 0;
  for (; at < call.args.length; at++) {
    const word = knownStart(call.args[at] ?? []);
    if (!word.startsWith("--")) break;
    if (word === "--") {
      at++;
      break;
    }
    at += bwrapArity[word.slice(2)] ?? 0;
  }
  runWords(call.args.slice(at), effects);
};

/** Each operand is a command line of its own; `npm:x` is a script of the package. */
const concurrently: Program = (call, effects) => {
  eachOperand(call, effects);
  if (call.args.some((word) => knownStart(word).startsWith("npm:")))
    effects.opaque("scripts of the package run", { runsScript: true });
};
const eachOperand = describe({
  runs: "each",
  values:
    "n,names c,prefix-colors p,prefix s,success l,prefix-length t,timestamp-format m,max-processes restart-tries restart-after hide",
  flags: "k,kill-others kill-others-on-fail raw i,handle-input g,group no-color",
});

export const wrappers = new Map<string, Program>([
  ...named("flock lckdo", flock),
  ["script", script],
  ["bwrap", bwrap],
  ["strace", strace],
  ["setarch", setarch],
  ["concurrently", concurrently],
]);
