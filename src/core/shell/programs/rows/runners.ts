import { known, literal } from "../../text.ts";
import type { Hook, Row } from "../row/row.ts";
import { contentOf, writeTrees } from "../row/words.ts";
import { reportMakefile } from "../text/makefile.ts";

const tests = { opaque: "tests run", mentions: "outputs" } as const;
const starts = { opaque: "it starts other programs", mentions: "all" } as const;
const secrets = { opaque: "it reads secrets" } as const;
const scripts = "tasks of the project run";

/** `npx PACKAGE args` and similar commands, including `npm exec`. */
export const npx = {
  runs: "package",
  unless: "c",
  shell: "c,call",
  values: "p,package w,workspace userconfig registry prefix from with python index-url node-options",
  folders: "cache",
  flags: "y,yes no q,quiet s,silent bun",
} as const;

/** `-o NAME=VALUE`, `--cov-report=html:FOLDER`. */
const reportPytest: Hook = (options, effects) => {
  for (const setting of options.all("o")) effects.code(setting);
  for (const report of options.all("cov-report")) {
    const target = (known(report) ?? "").split(":")[1];
    if (target !== undefined) writeTrees([literal(target)], effects);
  }
};

const makes: Hook = (options, effects, call) => {
  for (const word of options.operands) effects.operand(word);
  for (const code of options.all("eval")) reportMakefile(code, effects);
  const contents = options.all("f").map((file) => contentOf(file, call));
  for (const content of contents) if (content !== undefined) reportMakefile(content, effects);
  if (contents.length > 0 && !contents.includes(undefined)) return;
  const fromInput = options.all("f").some((file) => /^(?:-|\/dev\/stdin)$/.test(known(file) ?? ""));
  if (fromInput && call.input.kind === "unknown") effects.refuse("unknown-code", "make runs recipes of unknown content: write the recipes out");
  effects.opaque("recipes run");
};

/** `just --justfile - recipe` reads the recipes from standard input. */
const runsRecipes: Hook = (_, effects, call) => {
  for (const content of call.args.map((word) => contentOf(word, call))) if (content !== undefined) reportMakefile(content, effects);
};

/** Test runners, task runners, and tools that run a command in an environment. */
export const runners: readonly Row[] = [
  {
    names: "make gmake bmake nmake",
    values: "f,file,makefile I,include-dir o,old-file,assume-old W,what-if,new-file,assume-new eval,E",
    glued: "j,jobs l,load-average O,output-sync debug shuffle",
    flags: "B b d e i k n,just-print,dry-run,recon p q R r S s t w",
    in: "C,directory",
    harmless: "v",
    also: makes,
    match: ["make all", "make -f - <<< 'a: ; touch b' -> b", "make --eval='x: ; touch a' -> a"],
    no_match: ["make -v", "make --version"],
  },
  { names: "just", opaque: scripts, mentions: "all", also: runsRecipes, match: ["just build"], no_match: ["just --version"] },
  {
    names: "npx bunx pnpx uvx pipx-run dlx",
    ...npx,
    match: ["npx rimraf a -> a", "npx -y prettier@3 --write a -> a", "npx -c 'touch a' -> a", "npx --cache c ls -> c", "uvx ruff check --fix a -> a"],
    no_match: ["npx eslint --version", "npx -p x ls"],
  },
  {
    names: "pytest py.test",
    opaque: "tests run",
    values:
      "k m n c,config-file o,override-ini p,plugin W,pythonwarnings r,report rootdir confcutdir cov-config cov-report tb maxfail durations import-mode ignore ignore-glob deselect capture dist",
    glued: "cov",
    flags: "x v q s l",
    files: "junitxml,junit-xml log-file html resultlog",
    folders: "basetemp",
    writes: "operands",
    tree: true,
    otherwise: ".",
    when: "snapshot-update inline-snapshot force-regen",
    also: reportPytest,
    match: ["pytest a ->", "pytest --junitxml r a -> r", "pytest --cov-report=html:d -> d", "pytest --snapshot-update -> ."],
  },
  {
    names: "jest vitest ava playwright uvu wtr web-test-runner",
    ...tests,
    exact: true,
    files: "outputFile",
    folders: "coverageDirectory coverage.reportsDirectory output cacheDirectory cache.dir",
    values:
      "c,config t,testNamePattern,grep,g project root dir testPathPattern testPathPatterns reporter,reporters environment maxWorkers w shard testTimeout json-output coverage-dir snapshotFormat selectProjects workers retries timeout repeat-each tsconfig changed",
    match: ["jest --outputFile=a -> a", "vitest run --coverage.reportsDirectory a -> a", "jest --cacheDirectory c -> c", "vitest src/b ->"],
  },
  {
    names:
      "mocha jasmine tap tape karma cypress cucumber cucumber-js testcafe nightwatch wdio protractor detox newman k6 artillery lighthouse lhci stryker rspec minitest phpunit pest codecept behat prove nose2 nosetests behave robot locust unittest hypothesis trial bats shellspec shunit2 busted luaunit tasty hspec gotestsum ginkgo richgo cargo-nextest xctest zunit",
    ...tests,
    match: ["mocha a", "rspec --out a"],
  },
  {
    names: "c8 nyc",
    opaque: "a program runs under measurement",
    mentions: "outputs",
    runs: "operands",
    values: "r,reporter n,include x,exclude t,temp-directory",
    folders: "o,reports-dir report-dir temp-dir",
    commands: { "report check-coverage instrument merge": { opaque: "it writes reports", mentions: "outputs" } },
    match: ["c8 touch a -> a", "nyc --reporter=lcov touch a -> a", "c8 report ->"],
  },
  {
    names: "coverage",
    opaque: "a program runs under measurement",
    mentions: "outputs",
    files: "o,data-file",
    folders: "d,directory",
    commands: {
      "report debug help": {},
      run: { runs: "operands", as: "python", values: "source omit include rcfile concurrency context", ends: "m", opaque: "a program runs under measurement" },
    },
    match: ["coverage run x.py", "coverage html -d a -> a"],
    no_match: ["coverage report"],
  },
  { names: "gcov", values: "o", opaque: "it writes reports", match: ["gcov a"] },
  { names: "lcov", values: "d,directory a,add-tracefile", files: "o,output-file", match: ["lcov -c -o a -> a"], no_match: ["lcov -d a"] },
  { names: "genhtml", values: "t,title", folders: "o,output-directory", opaque: "it writes reports", match: ["genhtml -o a b -> a"] },
  {
    names:
      "task go-task rake ninja scons meson cmake ctest cpack bazel bazelisk buck buck2 pants waf tup redo invoke inv fab nox tox doit mage gulp grunt jake nx turbo lerna rush moon wireit lage ant sbt mill leiningen gradlew gradle mvn mvnw mvnd xcodebuild msbuild premake xmake b2 rebar3 mix stack cabal dune",
    opaque: scripts,
    mentions: "all",
    match: ["task build", "cmake -S . -B build"],
    no_match: ["cmake --version"],
  },
  {
    names: "pm2 forever supervisorctl nodemon supervisor run-parts start-stop-daemon daemonize foreman overmind hivemind procfile",
    ...starts,
    match: ["nodemon x.js"],
  },
  {
    names: "xdg-open open gnome-open kde-open explorer start wslview sensible-browser zenity dialog whiptail notify-send",
    opaque: "it opens another program",
    mentions: "all",
    match: ["xdg-open a"],
  },
  {
    names: "rtk",
    runs: "operands",
    commands: {
      "gain discover init config proxy-stats cc-economics learn": { opaque: "it keeps its own settings" },
      "proxy err test summary": { runs: "operands" },
    },
    match: ["rtk rm a -> a", "rtk -v proxy touch a -> a"],
    no_match: ["rtk git status", "rtk ls"],
  },
  {
    names: "infisical",
    ...secrets,
    commands: { run: { runs: "after-dashes", shell: "command", values: "env token projectId path domain" } },
    match: ["infisical run -- touch a -> a", "infisical run --env=dev -- touch a -> a", "infisical run --command='touch a' -> a", "infisical secrets"],
  },
  {
    names: "chamber aws-vault",
    ...secrets,
    values: "b,backend d,duration region",
    commands: { "exec exec-env": { runs: "after-dashes", skip: 1 } },
    match: ["chamber exec svc -- touch a -> a", "aws-vault exec p touch a -> a", "aws-vault list"],
  },
  {
    names: "doppler",
    ...secrets,
    values: "p,project c,config t,token",
    commands: { run: { runs: "after-dashes", shell: "command", files: "fallback" } },
    match: ["doppler run -- touch a -> a", "doppler run --command='touch a' -> a", "doppler secrets"],
  },
  { names: "op teller", ...secrets, values: "account env-file f", commands: { run: { runs: "after-dashes" } }, match: ["op run -- touch a -> a", "op read x"] },
  {
    names: "dotenvx",
    mentions: "operands",
    commands: { run: { runs: "after-dashes", values: "f,env-file e,env" }, "get ls help": {} },
    match: ["dotenvx run -f x -- touch a -> a", "dotenvx set a b"],
    no_match: ["dotenvx get a"],
  },
  {
    names: "dotenv",
    values: "e v p f,file c",
    runs: "operands",
    commands: { "run exec": { runs: "operands" }, "list get": {}, "set unset": { mentions: "operands", opaque: "it writes a file of variables" } },
    match: ["dotenv -e x -- touch a -> a", "dotenv run touch a -> a", "dotenv touch a -> a", "dotenv set a b"],
    no_match: ["dotenv list"],
  },
  {
    names: "devbox",
    opaque: scripts,
    mentions: "all",
    commands: { run: { runs: "after-dashes", values: "c,config e,env env-file", in: "c-dir", opaque: scripts }, "info list search version": {} },
    match: ["devbox run -- touch a -> a", "devbox run build", "devbox run touch a -> a"],
    no_match: ["devbox list"],
  },
  { names: "envchain", runs: "operands", skip: 1, match: ["envchain ns touch a -> a"] },
  { names: "summon", values: "f p e D", runs: "operands", match: ["summon -f x touch a -> a"] },
  {
    names: "with-env env-cmd",
    values: "f,file e,environments r,rc-file",
    runs: "operands",
    match: ["env-cmd -f x touch a -> a", "with-env touch a -> a"],
    no_match: ["env-cmd ls"],
  },
  { names: "lxc", opaque: "it manages containers", commands: { exec: { runs: "after-dashes", skip: 1 } }, match: ["lxc exec c -- touch a -> a"] },
  {
    names: "distrobox",
    opaque: "it manages containers",
    values: "n,name",
    commands: { "enter run": { runs: "after-dashes", skip: 1 } },
    match: ["distrobox enter c -- touch a -> a"],
  },
];
