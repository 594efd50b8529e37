import { known, literal, type Text } from "../text.ts";
import type { Program } from "../types.ts";
import {
  both,
  bySubcommand,
  describe,
  mentionOutputs,
  named,
  opaqueReader,
  reading,
  readsOnly,
  writeTrees,
} from "./describe.ts";

const runsProjectCode = opaqueReader("its settings and plugins are the project's code");

/** Rewrites the files and folders it is given, by default all of them. */
const inPlace = (facts: Parameters<typeof describe>[0]): Program =>
  describe({ writes: "operands", tree: true, ...facts });

const biomeValues =
  "config-path max-diagnostics diagnostic-level reporter colors log-level stdin-file-path since only skip files-max-size vcs-root";
const biomeWrites = inPlace({
  values: biomeValues,
  when: "write apply apply-unsafe fix unsafe",
  otherwise: ".",
});
const biomeMigrates: Program = (call, effects) => {
  if (call.args.some((word) => /^--(?:write|fix)$/.test(known(word) ?? "")))
    effects.write(literal("biome.json"));
};

const biome = bySubcommand(
  {},
  new Map<string, Program>([
    ...named("check format lint", biomeWrites),
    ...named("ci explain version help rage search", readsOnly),
    ["init", (_, effects) => effects.write(literal("biome.json"))],
    ["migrate", biomeMigrates],
  ]),
  opaqueReader("it starts a server"),
);

const ruffValues =
  "config select ignore extend-select extend-ignore exclude extend-exclude per-file-ignores fixable unfixable line-length target-version output-format cache-dir stdin-filename extension";

const ruff = bySubcommand(
  { values: "config" },
  new Map<string, Program>([
    [
      "check",
      inPlace({
        values: ruffValues,
        files: "o,output-file",
        when: "fix fix-only add-noqa ",
        otherwise: ".",
      }),
    ],
    ["format", inPlace({ values: ruffValues, unless: "check diff", otherwise: "." })],
    ...named("rule config linter version help server analyze clean", readsOnly),
  ]),
  (call, effects) => inPlace({ values: ruffValues, when: "fix", otherwise: "." })(call, effects),
);

/** `terraform fmt [DIR]` writes unless `-check` or `-write=false`. */
const terraform: Program = (call, effects) => {
  const words = call.args.map((word) => known(word) ?? "");
  const verb = words.find((word) => !word.startsWith("-")) ?? "";
  if (/^(?:show|validate|output|version|providers|graph|state|console|)$/.test(verb)) return;
  if (verb !== "fmt") {
    effects.opaque("it plans or changes infrastructure");
    for (const word of words) if (word.startsWith("-out=")) effects.write(literal(word.slice(5)));
    for (const word of words) if (word.startsWith("-chdir=")) effects.operand(literal(word.slice(7)));
    return;
  }
  if (words.some((word) => /^--?(?:check|write=false)$/.test(word))) return;
  const folders = call.args.filter((word) => !/^-/.test(known(word) ?? "") && known(word) !== "fmt");
  writeTrees(folders.length === 0 ? [literal(".")] : folders, effects);
};

/** ESLint and its kin: `--fix` rewrites, and settings are programs. */
const fixing = (values: string, flag = "fix"): Program =>
  both(
    runsProjectCode,
    inPlace({ values, files: "o,output-file", when: flag, otherwise: ".", unless: "fix-dry-run" }),
  );

const eslintValues =
  "c,config ext parser parser-options resolve-plugins-relative-to rulesdir plugin rule ignore-path ignore-pattern max-warnings f,format global env cache-location cache-file stdin-filename report-unused-disable-directives-severity flag concurrency";

const prettierValues =
  "config ignore-path plugin parser print-width tab-width trailing-comma end-of-line stdin-filepath log-level loglevel cache-location cache-strategy prose-wrap arrow-parens quote-props";

const clangFormat = reading(
  { style: "long", values: "style fallback-style assume-filename lines length offset files" },
  (options, effects) => {
    if (!options.has("i")) return;
    for (const file of options.operands) effects.write(file);
    if (options.has("files")) effects.opaque("the files are listed elsewhere");
  },
);

const goFormatter = describe({
  style: "long",
  values: "r cpuprofile local srcdir lang modpath extra-rules",
  writes: "operands",
  tree: true,
  when: "w",
});

const dotnetFormat = (call: { args: readonly Text[] }): boolean => known(call.args[0] ?? []) === "format";
const dotnet: Program = (call, effects) => {
  effects.opaque("it builds or runs the project");
  mentionOutputs(call.args, effects);
  if (dotnetFormat(call) && !call.args.some((word) => known(word) === "--verify-no-changes"))
    writeTrees([literal(".")], effects);
};

/** They walk the tree they are given, but not into git's or another tool's own folder. */
function sparing(program: Program): Program {
  return (call, effects) =>
    program(call, {
      ...effects,
      write: (target, action, options) => effects.write(target, action, { ...options, sourcesOnly: true }),
    });
}

const described: readonly [string, Program][] = [
  ["biome", biome],
  ["rome", biome],
  ["ruff", ruff],
  ...named("terraform tofu terragrunt packer", terraform),
  ...named("prettier prettierd prettier-eslint", inPlace({ values: prettierValues, when: "w,write" })),
  ...named("eslint eslint_d tslint", fixing(eslintValues)),
  [
    "oxlint",
    inPlace({
      values: "c,config A D W f,format tsconfig",
      when: "fix fix-suggestions fix-dangerously",
      otherwise: ".",
    }),
  ],
  ["oxfmt", inPlace({ values: "c,config", unless: "check list-different", otherwise: "." })],
  [
    "dprint",
    (call, effects) =>
      known(call.args[0] ?? []) === "fmt" ? writeTrees([literal(".")], effects) : undefined,
  ],
  ...named("stylelint", fixing("config f,formatter ignore-path s,custom-syntax")),
  ...named(
    "markdownlint markdownlint-cli2",
    inPlace({ values: "c,config i,ignore p,ignore-path", files: "o,output", when: "f,fix", otherwise: "." }),
  ),
  ...named("standard xo semistandard ts-standard", fixing("plugin parser env global")),
  [
    "remark",
    inPlace({
      values: "u,use r,rc-path i,ignore-path s,setting",
      when: "o,output",
      opaque: "plugins are programs",
    }),
  ],
  ["commitlint", runsProjectCode],
  ...named("lint-staged", opaqueReader("it runs configured commands on staged files")),
  ...named("syncpack sort-package-json npm-check-updates ncu", opaqueReader("it may rewrite package files")),
  [
    "black",
    inPlace({
      values:
        "l,line-length t,target-version c,code include exclude extend-exclude force-exclude stdin-filename config W,workers required-version",
      unless: "check diff c",
    }),
  ],
  [
    "isort",
    inPlace({
      values:
        "s,skip sg,skip-glob p,project settings-path,sp,settings-file profile l,line-length filename src m,multi-line",
      unless: "c,check,check-only diff d,stdout",
    }),
  ],
  ["autopep8", inPlace({ values: "max-line-length select ignore p,pep8-passes j,jobs", when: "i,in-place" })],
  ["yapf", inPlace({ values: "style e,exclude l,lines", when: "i,in-place" })],
  ...named("autoflake docformatter", inPlace({ values: "imports exclude", when: "i,in-place r,recursive" })),
  ...named("pyupgrade add-trailing-comma", inPlace({ flags: "py3-plus py36-plus keep-percent-format" })),
  ...named("nbstripout", inPlace({ unless: "t,textconv install dry-run" })),
  ...named("gofmt goimports gofumpt golines gci", goFormatter),
  [
    "golangci-lint",
    both(
      opaqueReader("it builds the project"),
      inPlace({ values: "c,config E,enable D,disable timeout out-format", when: "fix", otherwise: "." }),
    ),
  ],
  ["rustfmt", inPlace({ values: "config config-path edition color emit", unless: "check emit" })],
  ...named("clang-format clang-format-diff", clangFormat),
  [
    "clang-tidy",
    describe({
      values: "p checks",
      style: "long",
      files: "export-fixes",
      writes: "operands",
      when: "fix fix-errors fix-notes",
    }),
  ],
  ["astyle", describe({ writes: "operands", tree: "r,R,recursive", unless: "dry-run" })],
  ["uncrustify", describe({ values: "c l f", files: "o", writes: "operands", when: "replace no-backup" })],
  ["indent", describe({ files: "o", writes: "operands" })],
  ["shfmt", inPlace({ values: "i,indent ln,language-dialect filename", when: "w,write", glued: "l,list" })],
  ["shellcheck", describe({ values: "e,exclude f,format s,shell S,severity P" })],
  ["stylua", inPlace({ values: "f,config-path g,glob column-width indent-type", unless: "check c" })],
  ...named("ktlint", inPlace({ values: "reporter editorconfig", when: "F,format", otherwise: "." })),
  ...named("swiftformat", inPlace({ values: "config rules exclude", unless: "lint dryrun" })),
  ...named("swiftlint", inPlace({ values: "config path", when: "fix autocorrect", otherwise: "." })),
  ["swift-format", inPlace({ when: "i,in-place" })],
  ...named("google-java-format", inPlace({ when: "i,replace" })),
  ["scalafmt", inPlace({ values: "c,config", unless: "test check stdout", otherwise: "." })],
  [
    "rubocop",
    both(
      runsProjectCode,
      inPlace({
        values: "c,config only except f,format r,require",
        files: "o,out",
        when: "a,autocorrect,auto-correct A,autocorrect-all,auto-correct-all x,fix-layout",
        otherwise: ".",
      }),
    ),
  ],
  ...named("standardrb", both(runsProjectCode, inPlace({ when: "fix", otherwise: "." }))),
  ...named(
    "php-cs-fixer phpcbf pint rector",
    both(
      runsProjectCode,
      inPlace({ values: "config rules standard", unless: "dry-run test n", otherwise: "." }),
    ),
  ),
  ["perltidy", inPlace({ files: "o", when: "b,backup-and-modify-in-place" })],
  ["ocamlformat", inPlace({ files: "o,output", when: "i,inplace" })],
  ...named("ormolu fourmolu", inPlace({ values: "m,mode", when: "i,in-place m" })),
  ...named("nixfmt nixpkgs-fmt alejandra", inPlace({ unless: "c,check", otherwise: "." })),
  ...named("buildifier", inPlace({ values: "mode lint", unless: "d" })),
  ["taplo", inPlace({ values: "c,config", unless: "check diff", otherwise: "." })],
  ...named("sqlfluff sqlfmt", (call, effects) => {
    const verb = known(call.args[0] ?? []) ?? "";
    if (call.name === "sqlfmt" || /^(?:fix|format)$/.test(verb))
      writeTrees(
        call.args.filter((word) => !/^-/.test(known(word) ?? "")).slice(call.name === "sqlfmt" ? 0 : 1),
        effects,
      );
  }),
  ...named("djlint", inPlace({ when: "reformat" })),
  ...named(
    "typos codespell",
    inPlace({
      values: "S,skip I,ignore-words L,ignore-words-list c,config",
      when: "w,write-changes i,interactive",
      otherwise: ".",
    }),
  ),
  [
    "semgrep",
    inPlace({ values: "c,config e,pattern l,lang", files: "o,output", when: "autofix a", otherwise: "." }),
  ],
  ...named(
    "mypy pyright pylint flake8 pycodestyle pyflakes bandit vulture radon ty basedpyright",
    describe({
      values: "config-file c",
      files: "o,output output-file junit-xml",
      folders:
        "html-report xml-report txt-report cobertura-xml-report any-exprs-report linecount-report linecoverage-report lineprecision-report xslt-html-report xslt-txt-report cache-dir",
    }),
  ),
  ...named(
    "hadolint yamllint actionlint vale ansible-lint tflint checkov trivy gitleaks cspell alex proselint htmlhint jsonlint ajv spectral redocly knip depcheck madge dependency-cruiser depcruise publint attw size-limit license-checker",
    describe({ values: "c,config f,format", files: "o,output output-file" }),
  ),
  ...named("pre-commit lefthook husky", opaqueReader("hooks of the project run")),
  ["dotnet", dotnet],
];

export const formatters = new Map<string, Program>(
  described.map(([name, program]) => [name, sparing(program)]),
);
