import { holdsGuarded, isGuardedName, mayBeGuarded, namesLockstep } from "../../guarded-processes.ts";
import { optionReader } from "../../read-options.ts";
import { known, knownStart, type Text } from "../../text.ts";
import type { Effects, Program } from "../../types.ts";
import { named } from "../row/words.ts";

const signal = /^-(?:\d+|(?:SIG)?[A-Z][A-Z\d+-]+)$/;

function refuseEnding(effects: Effects): void {
  effects.refuse(
    "lockstep",
    "the command may end Lockstep's own processes or the agents' clients: end a process of your own by its number (`kill $!`), or by a name that only it has",
  );
}

/** `kill [-SIGNAL | -s SIGNAL] PID…`. Signal 0 only checks whether a process exists. */
const kill: Program = (call, effects) => {
  const words = call.args.map((word) => known(word));
  const [first, second] = words;
  if (/^(?:-[lL]|--list|--table|--help)/.test(first ?? "")) return;
  const isNamed = /^(?:-s|-n|--signal)$/.test(first ?? "");
  if (first === "-0" || (isNamed && second === "0")) return;
  const at = isNamed ? 2 : first?.startsWith("-") === true && call.args.length > 1 ? 1 : 0;
  const targets = call.args.slice(at).filter((word) => known(word) !== "--");
  const isOwn = (target: Text) => call.processes?.includes(Math.abs(Number(known(target)))) === true;
  if (
    targets.some(
      (target) =>
        isOwn(target) || holdsGuarded(target) || namesLockstep(target) || isForbiddenTarget(known(target)),
    )
  )
    refuseEnding(effects);
};

/** The first process, all processes, or a client by its name. */
function isForbiddenTarget(target: string | undefined): boolean {
  return target === "1" || target === "-1" || (target !== undefined && isGuardedName(target));
}

const readSelection = optionReader({
  values:
    "P,parent g,pgroup G,group s,session t,terminal u,euid U,uid F,pidfile signal O,older r,runstates ns nslist cgroup env q,queue d,delimiter",
  flags: "f,full v,inverse x,exact i,ignore-case n,newest o,oldest a,list-full l,list-name c,count e,echo",
});

/** The selection of `pkill` and `pgrep`; safe if it cannot include Lockstep or a client. */
export function readPattern(args: readonly Text[]): { readonly isSafe: boolean } {
  const options = readSelection(args.filter((word) => !signal.test(known(word) ?? "")));
  const [operand] = options.operands;
  const pattern = known(operand ?? []);
  const chosen = [...options.all("P", "F"), ...options.operands];
  if (options.has("v") || chosen.some((text) => holdsGuarded(text) || namesLockstep(text)))
    return { isSafe: false };
  if (options.has("P", "F")) return { isSafe: known(options.value("P") ?? []) !== "1" };
  if (pattern === undefined) return { isSafe: false };
  return { isSafe: !mayBeGuarded(pattern, options.has("f") ? "line" : "name") };
}

const pkill: Program = (call, effects) => {
  if (call.args.length > 0 && !readPattern(call.args).isSafe) refuseEnding(effects);
};

const readKillall = optionReader({
  values: "s,signal u,user n,ns o,older-than y,younger-than Z,context",
  flags:
    "r,regexp I,ignore-case l,list e,exact g,process-group i,interactive q,quiet v,verbose w,wait V,version",
});

const killall: Program = (call, effects) => {
  const options = readKillall(call.args.filter((word) => !signal.test(known(word) ?? "")));
  if (options.has("l", "V") || call.args.length === 0) return;
  const isSafe = (text: Text) => {
    const name = known(text);
    if (name === undefined || namesLockstep(text)) return false;
    return options.has("r") ? !mayBeGuarded(name, "name") : !isGuardedName(name);
  };
  if (options.operands.length === 0 || !options.operands.every(isSafe)) refuseEnding(effects);
};

const readFuser = optionReader({ values: "n,namespace", flags: "k,kill m,mount M i,interactive" });

/**
 * `fuser -k PORT/tcp`. With a file it ends every process that uses the file, and a client uses the project's folder.
 */
const fuser: Program = (call, effects) => {
  const options = readFuser(call.args.filter((word) => !signal.test(known(word) ?? "")));
  if (!options.has("k")) return;
  const ports = /^(?:tcp|udp)$/.test(known(options.value("n") ?? []) ?? "") ? /^\d+$/ : /^\d+\/(?:tcp|udp)$/;
  if (!options.operands.every((operand) => ports.test(known(operand) ?? ""))) refuseEnding(effects);
};

/** `taskkill /F /IM name`. */
const taskkill: Program = (call, effects) => {
  const at = call.args.findIndex((word) => /^\/\/?(?:im|fi)$/i.test(knownStart(word)));
  const name = at < 0 ? "" : known(call.args[at + 1] ?? []);
  if (name === undefined || isGuardedName(name) || /[*]|lockstep/i.test(name)) refuseEnding(effects);
};

export const kills = new Map<string, Program>([
  ["kill", kill],
  ...named("pkill skill", pkill),
  ["killall", killall],
  ["fuser", fuser],
  ["taskkill", taskkill],
]);
