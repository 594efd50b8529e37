import { type Block, blocksOf, type Shape } from "./blocks.ts";

interface Format {
  readonly name: string;
  /** The failures in the output; empty if it is from another runner. */
  find(lines: readonly string[]): readonly Block[];
  readonly endMatters: boolean;
}

/** Stack frames inside the runtime and the runner, which do not help to find the failure. */
const runtimeCall =
  /^\s+at (?:.*[( ])?node:|^\s+at .*(?:\(<anonymous>\)|\/node_modules\/|Promise\.all \(index)/;
/** These frames, and what Node adds to an assertion's message. */
const nodeNoise = new RegExp(
  `${runtimeCall.source}|^ {4}(?:generatedMessage|code|operator|diff): |^ {2}\\}$`,
);
const rustCall = /^\s+(?:\d+: |at \/rustc\/)|^stack backtrace:$|^note: (?:run with|Some details)/;

/**
 * How runners report failures. Runners with a summary of all failures come first: a line above that looks like another
 * runner's may be the output of a test.
 */
export const formats: readonly Format[] = [
  format("vitest", {
    within: { from: /^⎯+ (?:Failed|Unhandled|Uncaught)/, to: /^\s+Test Files {2}/ },
    starts: /^\s{0,2}FAIL {2}\S|^⎯+ (?:Uncaught|Unhandled) (?:Exception|Rejection|Error) ⎯+/,
    ends: /^⎯{3}/,
  }),
  format("node:test", {
    within: { from: /^✖ failing tests:$/ },
    starts: /^test at \S/,
    unless: /^[✖⚠] .* # TODO/,
    drop: nodeNoise,
  }),
  format("mocha", {
    within: { from: /^\s{1,4}\d+ failing$/ },
    starts: /^\s{2}\d+\) /,
    drop: runtimeCall,
  }),
  format("jest", {
    starts: /^\s{2}● (?!Console$)/,
    ends: /^(?:Test Suites:|Summary of all failing|FAIL |PASS )/,
    drop: runtimeCall,
  }),
  format("pytest", {
    within: { from: /^=+ (?:FAILURES|ERRORS) =+$/, to: /^=+ \S/ },
    starts: /^_+ (?![_ ]*$)\S.* _+$/,
    ends: /^-+ Captured /,
    endMatters: true,
  }),
  format("pytest's summary", {
    within: { from: /^=+ short test summary info =+$/, to: /^(?:=|!)+ / },
    starts: /^(?:FAILED|ERROR) \S/,
  }),
  format("unittest", {
    within: { from: /^={60,}$/ },
    starts: /^(?:FAIL|ERROR): \S+ \(/,
    ends: /^={60,}$|^Ran \d+ tests?/,
    drop: /^-{60,}$/,
    endMatters: true,
  }),
  format("cargo test", {
    starts: /^---- \S+ stdout ----$/,
    ends: /^failures:$|^test result:/,
    drop: rustCall,
  }),
  format("TAP", {
    starts: /^\s*not ok \d+(?!.*# (?:TODO|SKIP))/i,
    ends: /^\s*(?:\.\.\.$|ok \d|not ok \d|# Subtest|\d+\.\.\d)/,
    unless: /failureType: 'subtestsFailed'/,
    drop: /^\s+(?:---$|duration_ms:|type: 'test'|.*\(node:|node:|new Promise)/,
  }),
  { name: "go test", find: goFailures, endMatters: false },
  format("go build", { starts: /^\S+\.go:\d+:\d+: /, ends: /^\S/ }),
  format("cargo build", {
    starts: /^error(?:\[E\d+\])?: (?!could not compile|test failed|aborting)/,
    ends: /^(?:error|warning)\b|^For more information|^\s+Compiling /,
  }),
  format("tsc", { starts: /^\S.*\(\d+,\d+\): error TS\d+: /, ends: /^\S|^$/ }),
  format("tsc, with the code", { starts: /^\S.*:\d+:\d+ - error TS\d+: /, ends: /^Found \d+ errors?/ }),
  { name: "eslint", find: eslintErrors, endMatters: false },
  { name: "a Python traceback", find: tracebacks, endMatters: true },
];

function format(name: string, shape: Shape): Format {
  return { name, find: (lines) => blocksOf(lines, shape), endMatters: shape.endMatters ?? false };
}

/** With `-v` the output of a test comes before the line that reports its failure. */
function goFailures(lines: readonly string[]): readonly Block[] {
  const failed = /^--- FAIL: (\S+)/;
  const found = blocksOf(lines, {
    starts: failed,
    ends: /^(?:=== |--- |FAIL\b|PASS$|ok\s|exit status)/,
    drop: /^\s+\/\S+\/src\/(?:testing|runtime)\//,
  });
  if (!lines.some((line) => line.startsWith("=== RUN"))) return found;
  const said = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of lines) {
    const [, name] = /^=== RUN\s+([^\s/]+)/.exec(line) ?? [];
    if (name !== undefined) {
      current = said.get(name) ?? [];
      said.set(name, current);
    } else if (/^--- /.test(line)) current = [];
    else if (!/^=== /.test(line)) current.push(line);
  }
  return found.map(([first = "", ...rest]) => [
    first,
    ...(said.get(failed.exec(first)?.[1] ?? "") ?? []),
    ...rest,
  ]);
}

/** Each file with its errors; warnings do not fail a check. */
function eslintErrors(lines: readonly string[]): readonly Block[] {
  if (!lines.some((line) => /^✖ \d+ problems? \(\d+ errors?/.test(line))) return [];
  const row = /^\s+\d+:\d+\s+(error|warning)\s/;
  const blocks: string[][] = [];
  lines.forEach((line, at) => {
    const [, level] = row.exec(line) ?? [];
    const isFile = level === undefined && /^\S/.test(line) && row.test(lines[at + 1] ?? "");
    if (isFile) blocks.push([line]);
    else if (level === "error") blocks.at(-1)?.push(line);
  });
  return blocks.filter((block) => block.length > 1);
}

/** The last traceback first: earlier exceptions may have been handled. */
function tracebacks(lines: readonly string[]): readonly Block[] {
  const blocks: string[][] = [];
  let block: string[] | undefined;
  for (const line of lines) {
    if (/^\s*Traceback \(most recent call last\):$/.test(line)) {
      block = [line];
      blocks.push(block);
    } else if (block !== undefined) {
      block.push(line);
      const depth = (/^\s*/.exec(block[0] ?? "")?.[0] ?? "").length;
      if (line.trim() !== "" && !/^\s/.test(line.slice(depth))) block = undefined;
    }
  }
  return blocks.reverse();
}
