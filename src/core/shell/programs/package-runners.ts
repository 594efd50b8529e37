import { keysOf, optionReader } from "../read-options.ts";
import { known } from "../text.ts";
import type { Program } from "../types.ts";
import { asksForHelp, named } from "./describe.ts";
import { runPackage, wrapping } from "./wrapping.ts";

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
  if (!options.has("c")) runPackage(options.operands, effects);
};

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
