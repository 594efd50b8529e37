import { optionReader } from "../read-options.ts";
import { known, type Text } from "../text.ts";
import type { Program } from "../types.ts";
import { asksForHelp, describe } from "./describe.ts";
import { splitQuoted } from "./split-quoted.ts";
import { typedInto } from "./tell-code.ts";
import { runWithAssignments } from "./wrapping.ts";

const readEnv = optionReader({
  values: "u,unset C,chdir S,split-string P a,argv0",
  glued: "block-signal default-signal ignore-signal",
  flags: "i,ignore-environment 0,null v,debug list-signal-handling",
  wrapper: true,
});

const splitDepthMax = 8;

const env: Program = (call, effects) => tellEnv(call.args, call, effects, 0);

function tellEnv(args: readonly Text[], ...[call, effects, depth]: [...Parameters<Program>, number]): void {
  if (asksForHelp(args)) return;
  const options = readEnv(known(args[0] ?? []) === "-" ? args.slice(1) : args);
  const folder = options.value("C");
  const inner = folder === undefined ? effects : effects.within(folder);
  if (options.has("P")) inner.refuse("loader", "the program is looked for in other folders");
  const line = options.value("S");
  const words = line === undefined ? undefined : splitQuoted(known(line) ?? "$");
  if (line === undefined) runWithAssignments(options.operands, inner);
  else if (known(line)?.includes("\\") === true)
    inner.refuse("unknown-code", "`env -S` with escapes is not followed");
  else if (words === undefined || depth >= splitDepthMax) inner.shell(line, options.operands);
  else tellEnv([...words, ...options.operands], call, inner, depth + 1);
}

const sudoRun = describe({
  values:
    "u,user g,group h,host p,prompt C,close-from r,role t,type T,command-timeout U,other-user a c R,chroot",
  flags: "A,askpass b,background B E,preserve-env H,set-home k K n,non-interactive P S,stdin",
  in: "D,chdir",
  harmless: "l,list v,validate V",
  runs: "operands",
  assignments: true,
  cases: [{ when: "s,shell i,login", runs: "shell" }],
});

/** `sudo -e FILE` edits; everything else runs a command. */
const sudo: Program = (call, effects) => {
  const first = known(call.args[0] ?? []);
  if (first === "-e" || first === "--edit") return sudoedit({ ...call, args: call.args.slice(1) }, effects);
  sudoRun(call, effects);
};

const sudoedit: Program = (call, effects) => {
  for (const file of call.args) effects.write(file);
};

/** `su [-] [user] [-c CODE]`: what follows the user goes to a shell. */
const readSu = optionReader({
  values: "c,command session-command s,shell g,group G,supp-group w,whitelist-environment u,user",
  flags: "l,login m p P f",
});
const su: Program = (call, effects) => {
  if (asksForHelp(call.args)) return;
  const options = readSu(call.args);
  const code = options.all("c", "session-command");
  for (const text of code) effects.shell(text);
  if (code.length > 0) return;
  if (call.input.kind === "text") effects.shell(call.input.text);
  else if (call.input.kind === "unknown")
    effects.refuse("unknown-code", "data of unknown content goes into a shell");
  else effects.opaque(typedInto);
};

const runuser: Program = (call, effects) => {
  const asUser = call.args.some((word) => /^(?:-u|--user)/.test(known(word) ?? ""));
  (asUser ? asUserRun : su)(call, effects);
};
const asUserRun = describe({
  values: "u,user g,group G,supp-group s,shell w",
  shell: "c,command",
  runs: "operands",
});

export const environments = new Map<string, Program>([
  ["env", env],
  ["sudo", sudo],
  ["su", su],
  ["runuser", runuser],
]);
