import { known, knownStart, literal } from "../text.ts";
import type { Program } from "../types.ts";
import {
  describe,
  mentionOutputs,
  named,
  opaqueReader,
  reading,
  writeFiles,
  writeTrees,
} from "./describe.ts";

const tests = opaqueReader("tests run");

/** Test runners read the files they are given; which snapshots they rewrite is known only afterwards. */
const snapshots = reading(
  {
    exact: true,
    values:
      "c,config t,testNamePattern,grep,g project root dir testPathPattern testPathPatterns reporter,reporters environment maxWorkers w shard testTimeout outputFile json-output output coverageDirectory coverage.reportsDirectory coverage-dir snapshotFormat selectProjects workers retries timeout repeat-each tsconfig changed",
  },
  (options, effects, call) => {
    effects.opaque("tests run");
    mentionOutputs(call.args, effects);
    writeFiles(options.all("outputFile"), effects);
    writeTrees(options.all("coverageDirectory", "coverage.reportsDirectory", "output"), effects);
  },
);

const pytest = reading(
  {
    values:
      "k m n c,config-file o,override-ini p,plugin W,pythonwarnings r,report rootdir confcutdir basetemp junitxml,junit-xml log-file html cov-config cov-report resultlog tb maxfail durations import-mode ignore ignore-glob deselect capture dist",
    glued: "cov",
    flags: "snapshot-update inline-snapshot force-regen x v q s l lf ff sw",
  },
  (options, effects) => {
    effects.opaque("tests run");
    writeFiles(options.all("junitxml", "log-file", "html", "resultlog"), effects);
    writeTrees(options.all("basetemp"), effects);
    for (const setting of options.all("o")) effects.code(setting);
    for (const report of options.all("cov-report")) {
      const target = (known(report) ?? "").split(":")[1];
      if (target !== undefined) writeTrees([literal(target)], effects);
    }
    if (!options.has("snapshot-update", "inline-snapshot", "force-regen")) return;
    writeTrees(options.operands.length === 0 ? [literal(".")] : options.operands, effects);
  },
);

/** `c8 command`, `nyc command`, `coverage run script`. */
const covered: Program = (call, effects) => {
  effects.opaque("a program runs under measurement");
  mentionOutputs(call.args, effects);
  const at = call.args.findIndex((word) => !knownStart(word).startsWith("-"));
  const verb = known(call.args[at] ?? []) ?? "";
  if (at < 0 || /^(?:report|check-coverage|instrument|merge)$/.test(verb)) return;
  effects.run(call.args.slice(at));
};

const coverage: Program = (call, effects) => {
  const [verb, ...rest] = call.args;
  if (/^(?:report|debug|help)$/.test(known(verb ?? []) ?? "")) return;
  effects.opaque("a program runs under measurement");
  if (known(verb ?? []) === "run")
    effects.run([
      literal("python"),
      ...rest.filter(
        (word) => !/^(?:-a|-p|--branch|--append|--source=|--parallel-mode)/.test(knownStart(word)),
      ),
    ]);
  mentionOutputs(rest, effects);
  const at = rest.findIndex((word) => known(word) === "-d");
  if (at >= 0) effects.operand(rest[at + 1] ?? []);
};

export const testRunners = new Map<string, Program>([
  ...named("jest vitest ava playwright uvu wtr web-test-runner", snapshots),
  ...named("pytest py.test", pytest),
  ...named(
    "mocha jasmine tap tape karma cypress cucumber cucumber-js testcafe nightwatch wdio protractor detox newman k6 artillery lighthouse lhci stryker",
    tests,
  ),
  ...named(
    "rspec minitest phpunit pest codecept behat prove nose2 nosetests behave robot locust unittest hypothesis trial bats shellspec shunit2 busted luaunit tasty hspec gotestsum ginkgo richgo cargo-nextest xctest zunit",
    tests,
  ),
  ...named("c8 nyc", covered),
  ["coverage", coverage],
  ["gcov", describe({ values: "o", opaque: "it writes reports" })],
  ["lcov", describe({ values: "d,directory a,add-tracefile", files: "o,output-file" })],
  ["genhtml", describe({ values: "t,title", folders: "o,output-directory", opaque: "it writes reports" })],
]);
