import { keysOf, optionReader } from "../read-options.ts";
import { known, literal, type Text } from "../text.ts";
import type { Effects, Program } from "../types.ts";
import { programOfPackage } from "./agent-names.ts";
import { asksForHelp, named } from "./describe.ts";
import { wrapping } from "./wrapping.ts";

const readRunner = optionReader({
  values:
    "p,package c,call w,workspace cache userconfig registry prefix from with python index-url node-options",
  flags: "y,yes no q,quiet s,silent ws,workspaces ignore-existing prefer-offline offline bun isolated",
  wrapper: true,
});

/** `npx PACKAGE args`, `npm exec`, `pnpm dlx`, `bunx`, `uvx`: the package's program runs. */
export const runsPackage: Program = (call, effects) => {
  if (asksForHelp(call.args)) return;
  const options = readRunner(call.args);
  for (const code of options.all("c")) effects.shell(code);
  const [name, ...rest] = withoutDashes(options.operands);
  if (name === undefined || options.has("c")) return;
  runProgramOf(name, withoutDashes(rest), effects);
};

const withoutDashes = (words: readonly Text[]): readonly Text[] =>
  known(words[0] ?? []) === "--" ? words.slice(1) : words;

function runProgramOf(name: Text, args: readonly Text[], effects: Effects): void {
  const spelled = known(name);
  const isAddress = spelled !== undefined && /^(?:[a-z+]+:|\.{0,2}\/)/.test(spelled);
  const program = spelled === undefined || isAddress ? name : literal(programOfPackage(spelled));
  effects.run([program, ...args]);
}

/** `X run command`, for tools that put the project's environment around it. */
export function runsAfter(verbs: RegExp, spec: Parameters<typeof wrapping>[0], otherwise: Program): Program {
  const run = wrapping(spec);
  const readVerb = optionReader({
    ...spec,
    values: `${spec.values ?? ""} ${spec.folder ?? ""}`,
    wrapper: true,
  });
  return (call, effects) => {
    const options = readVerb(call.args);
    const [verb, ...rest] = options.operands;
    const folder = options.value(...keysOf(spec.folder));
    const inner = folder === undefined ? effects : effects.within(folder);
    if (verb !== undefined && verbs.test(known(verb) ?? "")) run({ ...call, args: rest }, inner);
    else otherwise(call, inner);
  };
}

export const packageRunners = new Map<string, Program>([
  ...named("npx bunx pnpx uvx pipx-run dlx", runsPackage),
]);
