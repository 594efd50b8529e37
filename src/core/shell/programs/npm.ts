import { optionReader } from "../read-options.ts";
import { known, knownParts, knownStart, literal, type Text } from "../text.ts";
import type { Call, Effects, Program } from "../types.ts";
import {
  asksForHelp,
  describe,
  mention,
  reading,
  readsOnly,
  writeFiles,
  writeTrees,
} from "./row/describe.ts";
import { tellCode } from "./row/tell-code.ts";
import { npx } from "./rows/runners.ts";

const readGlobals = optionReader({
  values:
    "prefix C,dir,cwd w,workspace F,filter registry userconfig loglevel cache script-shell node-options location otp tag omit include filter-prod workspace-dir",
  flags:
    "g,global silent,s q,quiet d r,recursive D,save-dev,dev save-exact E ws,workspaces no-git-tag-version B bun",
  wrapper: true,
});

const readCaches = optionReader({ values: "cache logs-dir", exact: true });

const looking =
  /^(?:view|info|show|v|ls|list|ll|la|outdated|search|find|s|help|ping|whoami|doctor|root|bin|explain|why|fund|docs|home|repo|bugs|issues|query|sbom|diff|help-search|licenses|node|completion|licences|store|env|-v|--version)$/;
const installing =
  /^(?:i|in|ins|inst|insta|instal|install|isnt|add|a|ci|clean-install|install-test|it|cit|update|up|upgrade|udpate|uninstall|un|unlink|remove|rm|r|dedupe|ddp|rebuild|rb|link|ln|prune|audit|import|fetch|patch|patch-commit|deploy|pack|publish|unpublish|login|logout|adduser|deprecate|dist-tag|owner|access|token|profile|org|team|star|cache|shrinkwrap|setup|self-update|approve-builds|plugin|pm|unplug|workspaces|constraints|version-plugin)$/;
const scripts = /^(?:run|run-script|rum|urn|start|stop|restart|test|t|tst|task)$/;

const otherwise = "scripts are made to run in another shell, or with other code loaded";

/** npm, pnpm and yarn by their first word. */
const npm: Program = (call, effects) => {
  if (asksForHelp(call.args)) return;
  const options = readGlobals(call.args);
  const folder = options.value("prefix", "C");
  const inner = folder === undefined ? effects : effects.within(folder);
  if (folder !== undefined) effects.operand(folder);
  if (options.has("script-shell", "node-options")) inner.refuse("loader", otherwise);
  if (call.name === "npm") writeTrees(readCaches(call.args).all("cache", "logs-dir"), effects);
  const [verb, ...args] = options.operands;
  if (verb === undefined) return call.name === "npm" ? undefined : inner.opaque("packages are installed");
  runVerb(known(verb), { ...call, args }, inner, verb);
};

function runVerb(verb: string | undefined, call: Call, effects: Effects, spelled: Text): void {
  const special = verb === undefined ? undefined : verbs.get(verb);
  if (special !== undefined) special(call, effects);
  else if (verb !== undefined && looking.test(verb)) return;
  else if (verb !== undefined && scripts.test(verb)) runScript(verb, call, effects);
  else if (verb === undefined || installing.test(verb) || call.name === "npm") {
    effects.opaque("packages are installed or scripts run");
    mention(call.args, effects);
  } else {
    effects.opaque("scripts of the package may run", { runsScript: true });
    effects.run([spelled, ...call.args]);
  }
}

const writingFlags = /^(?:-u|--update\b|--updateSnapshot|--fix\b|--write\b|-w$|--in-place|-i$|-o$|--out)/;

/** Tests and checks only read what they are given; other scripts may do anything with it. */
function runScript(verb: string, call: Call, effects: Effects): void {
  effects.opaque("scripts of the package run", { runsScript: true });
  const name = /^(?:run|rum|urn|run-script)$/.test(verb) ? (known(call.args[0] ?? []) ?? "") : verb;
  const args = name === verb ? call.args : call.args.slice(1);
  const reads =
    /^(?:t|tst|test|tests|lint|check|typecheck|type-check|tsc|types|verify|e2e|unit)(?:$|[:-])/.test(name);
  if (call.args.some((word) => /^--(?:script-shell|node-options)/.test(knownStart(word)))) {
    effects.refuse("loader", otherwise);
  }
  if (!reads || args.some((word) => writingFlags.test(knownStart(word)))) mention(args, effects);
}

/** `npm pkg set`, `npm version`: the package's own file. */
const pkg: Program = (call, effects) => {
  if (/^(?:set|delete|fix)$/.test(known(call.args[0] ?? []) ?? "set")) effects.write(literal("package.json"));
};

const version: Program = (call, effects) => {
  if (call.args.every((word) => knownStart(word).startsWith("-"))) return;
  writeFiles([literal("package.json"), literal("package-lock.json")], effects);
};

const init: Program = (call, effects) => {
  effects.write(literal("package.json"));
  const names = call.args.filter((word) => !knownStart(word).startsWith("-"));
  if (names.length === 0) return;
  effects.opaque("an initializer runs");
  mention(call.args, effects);
};

const config: Program = (call, effects) => {
  const verb = known(call.args[0] ?? []) ?? "set";
  if (/^(?:get|list|ls|ls-keys)$/.test(verb)) return;
  const isProject = call.args.some((word, at) => {
    const text = known(word) ?? "";
    return (
      /^(?:--location=project|-L=?project)$/.test(text) ||
      (/^(?:--location|-L)$/.test(text) && known(call.args[at + 1] ?? []) === "project")
    );
  });
  if (isProject) effects.write(literal(".npmrc"));
  effects.refuse("loader", "the package manager's settings are changed");
};

/** `yarn exec 'a && b'` hands a line to a shell; one word with blanks in it is such a line anywhere. */
const execOrShell: Program = (call, effects) => {
  const [only] = call.args;
  if (call.args.length === 1 && only !== undefined && /\s/.test(knownParts(only))) effects.shell(only);
  else exec(call, effects);
};

/** `yarn workspace NAME verb …`. */
const workspace: Program = (call, effects) => {
  if (call.args.length < 2) return;
  npm({ ...call, name: call.name === "workspace" ? "yarn" : call.name, args: call.args.slice(1) }, effects);
};

const runsPackage = describe(npx);
const exec: Program = (call, effects) => {
  const first = known(call.args[0] ?? []);
  runsPackage({ ...call, args: first === "--" ? call.args.slice(1) : call.args }, effects);
};

const set: Program = (call, effects) => {
  effects.opaque("settings of the package manager change");
  effects.refuse("loader", "the package manager's settings are changed");
  mention(call.args, effects);
};

const verbs = new Map<string, Program>([
  ["pkg", pkg],
  ["version", version],
  ["init", init],
  ["create", init],
  ["innit", init],
  ["config", config],
  ["c", config],
  ["set", set],
  ["get", readsOnly],
  ["exec", execOrShell],
  ["node", (call, effects) => effects.run([literal("node"), ...call.args])],
  ["x", exec],
  ["dlx", exec],
  ["workspace", workspace],
]);

const bunBuild = reading(
  { values: "target format entry-naming e,external outdir outfile", flags: "compile" },
  (options, effects) => {
    writeTrees(options.all("outdir"), effects);
    writeFiles(options.all("outfile"), effects);
    if (options.has("compile") || !options.has("outdir", "outfile")) effects.opaque("it builds a program");
  },
);

/** bun is a package manager, a test runner and an interpreter. */
const bun: Program = (call, effects) => {
  const first = known(call.args[0] ?? []) ?? "";
  const rest: Call = { ...call, args: call.args.slice(1) };
  if (first === "test") return effects.opaque("tests run");
  if (first === "build") return bunBuild(rest, effects);
  if (first === "x") return exec(rest, effects);
  if (/^(?:-e|--eval|-p|--print)$/.test(first) || /[./]/.test(first) || first === "")
    return bunScript(call, effects);
  if (first === "run" && /[./]/.test(known(call.args[1] ?? []) ?? "")) return bunScript(rest, effects);
  npm(call, effects);
};

const bunOptions = optionReader({
  values: "e,eval p,print r,preload c,config cwd tsconfig-override env-file",
  flags: "watch hot b,bun silent i",
  wrapper: true,
});
const bunScript: Program = (call, effects) => {
  const options = bunOptions(call.args);
  tellCode(options.all("e", "p"), options, effects, call);
};

export const npms = new Map<string, Program>([
  ["npm", npm],
  ["pnpm", npm],
  ["yarn", npm],
  ["yarnpkg", npm],
  ["cnpm", npm],
  ["ni", npm],
  ["nr", (call, effects) => npm({ ...call, name: "npm", args: [literal("run"), ...call.args] }, effects)],
  ["bun", bun],
  ["corepack", (call, effects) => corepack(call, effects)],
]);

/** `corepack pnpm install` runs that manager. */
const corepack: Program = (call, effects) => {
  if (/^(?:pnpm|yarn|npm)(?:@|$)/.test(known(call.args[0] ?? []) ?? "")) {
    const [manager = [], ...rest] = call.args;
    return effects.run([literal((known(manager) ?? "").split("@")[0] ?? ""), ...rest]);
  }
  effects.opaque("package managers are installed");
};
