import { known, knownStart, literal } from "../../text.ts";
import { reportCode } from "../row/report-code.ts";
import type { Deed, Hook, Row } from "../row/row.ts";
import { mention } from "../row/words.ts";
import { npx } from "./runners.ts";

const installs = { opaque: "packages are installed or scripts run", mentions: "all" } as const;
const otherShell = { kind: "loader", why: "`--script-shell` and `--node-options` change how scripts run: leave them out" } as const;
const settings = { refuses: { kind: "loader", why: "the command changes the package manager's settings: leave that to a person" } } as const;

const readingScripts = /^(?:t|tst|test|tests|lint|check|typecheck|type-check|tsc|types|verify|e2e|unit)(?:$|[:-])/;
const writingFlags = /^(?:-u|--update\b|--updateSnapshot|--fix\b|--write\b|-w$|--in-place|-i$|-o$|--out)/;

/** Tests and checks only read their arguments. Other scripts may do anything with them. */
const runsScript: Hook = (_, effects, { name: verb, args: words }) => {
  effects.opaque("scripts of the package run", { runsScript: true });
  const isNamed = /^(?:run|rum|urn|run-script)$/.test(verb);
  const name = isNamed ? (known(words[0] ?? []) ?? "") : verb;
  const args = isNamed ? words.slice(1) : words;
  if (!readingScripts.test(name) || args.some((word) => writingFlags.test(knownStart(word)))) mention(args, effects);
};

/** A word that is not a command is a script of the package, or a program of an installed package. */
const runsWord: Hook = ({ operands }, effects) => {
  effects.opaque("scripts of the package may run", { runsScript: true });
  if (known(operands[0] ?? []) === undefined) mention(operands, effects);
  else effects.run(operands);
};

const globals = {
  values: "w,workspace F,filter registry userconfig loglevel script-shell node-options location otp tag omit include filter-prod workspace-dir",
  flags: "g,global silent,s q,quiet d r,recursive D,save-dev,dev E B bun",
  in: "prefix C,dir,cwd",
  besides: [{ when: "script-shell node-options", refuses: otherShell }],
} as const;

const commands: Record<string, Deed> = {
  "view info show v ls list ll la outdated search find s help ping whoami doctor root bin explain why fund docs home repo bugs issues query sbom diff help-search licenses completion licences store env get":
    {},
  "i in ins inst insta instal install isnt add a ci clean-install install-test it cit update up upgrade udpate uninstall un unlink remove rm r dedupe ddp rebuild rb link ln prune audit import fetch patch patch-commit deploy pack publish unpublish login logout adduser deprecate dist-tag owner access token profile org team star cache shrinkwrap setup self-update approve-builds plugin pm unplug workspaces constraints version-plugin":
    installs,
  "run run-script rum urn start stop restart test t tst task": { mentions: "outputs", also: runsScript },
  pkg: { fixed: "package.json", commands: { get: {} }, alone: {} },
  version: { needs: 1, fixed: "package.json package-lock.json" },
  "init create innit": { cases: [{ needs: 1, fixed: "package.json", opaque: "an initializer runs", mentions: "all" }, { fixed: "package.json" }] },
  "config c": {
    ...settings,
    values: "L,location",
    besides: [{ when: "location=project", unless: "json", fixed: ".npmrc" }],
    commands: { "get list ls ls-keys": {} },
  },
  set: { ...settings, opaque: "settings of the package manager change", mentions: "all" },
  "exec x dlx": npx,
  node: { also: (_, effects, call) => effects.run([literal("node"), ...call.args]) },
  workspace: { runs: "operands", skip: 1, as: "yarn" },
};

const runsBun: Hook = (options, effects, call) => {
  const [first] = options.operands;
  if (options.has("e")) return;
  if (first === undefined || /[./]/.test(known(first) ?? "")) reportCode([], options, effects, call);
  else runsWord(options, effects, call);
};

const runsBunScript: Hook = (options, effects, call) => {
  const isFile = /[./]/.test(known(options.operands[0] ?? []) ?? "");
  (isFile ? runsBun : runsScript)(options, effects, call);
};

/** `corepack pnpm@9 install` runs that package manager. */
const runsManager: Hook = (_, effects, { args: [manager = [], ...rest] }) => {
  const name = /^(pnpm|yarn|npm)(?:@|$)/.exec(known(manager) ?? "")?.[1];
  if (name === undefined) effects.opaque("package managers are installed");
  else effects.run([literal(name), ...rest]);
};

export const npms: readonly Row[] = [
  {
    names: "npm",
    ...installs,
    ...globals,
    folders: "cache logs-dir",
    commands,
    alone: {},
    match: [
      "npm ci",
      "npm test a ->",
      "npm run build -- b ->",
      "npm pkg set a=b -> package.json",
      "npm version patch -> package.json package-lock.json",
      "npm init -y -> package.json",
      "npm config set a b",
      "npm config set --location=project a b -> .npmrc",
      "npm exec -- rimraf a -> a",
      "npm --prefix d pkg set a=b -> d/package.json",
      "npm test --script-shell=x",
      "npm ls --cache c -> c",
    ],
    no_match: ["npm", "npm ls", "npm pkg get a", "npm version", "npm config get a"],
  },
  {
    names: "pnpm yarn yarnpkg cnpm ni",
    ...globals,
    wrapper: true,
    commands,
    also: runsWord,
    alone: { opaque: "packages are installed" },
    match: ["yarn", "yarn add x", "pnpm build", "yarn rimraf a -> a", "pnpm dlx rimraf a -> a", "yarn exec 'touch a' -> a", "yarn workspace x rimraf a -> a"],
    no_match: ["yarn why x", "pnpm --version"],
  },
  { names: "nr", wrapper: true, also: (_, effects, call) => effects.run([literal("npm"), literal("run"), ...call.args]), match: ["nr build"] },
  {
    names: "bun",
    ...globals,
    wrapper: true,
    values: "w,workspace F,filter registry r,preload c,config tsconfig-override env-file",
    code: "e,eval,p,print",
    commands: {
      ...commands,
      run: { wrapper: true, mentions: "outputs", also: runsBunScript },
      test: { opaque: "tests run" },
      build: {
        values: "target format entry-naming e,external",
        files: "outfile",
        folders: "outdir",
        cases: [{ when: "compile", opaque: "it builds a program" }, { when: "outdir outfile" }, { opaque: "it builds a program" }],
      },
    },
    also: runsBun,
    match: ["bun test", "bun a.ts", "bun run a.ts", "bun -e x", "bun add x", "bun build --outdir d a.ts -> d", "bun x rimraf a -> a"],
    no_match: ["bun --version"],
  },
  { names: "corepack", also: runsManager, match: ["corepack yarn@4 rimraf a -> a", "corepack enable"] },
];
