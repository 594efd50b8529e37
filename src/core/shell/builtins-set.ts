import type { BuiltinCall } from "./builtins.ts";
import { known, knownStart, literal, type Text } from "./text.ts";
import { both, type Outcome, type World } from "./world.ts";

/** `set [-e] [+e] [-o name] [--] [arg…]`. */
export function setCommand({ args, world }: BuiltinCall): Outcome {
  let { stopsOnError, physical } = world;
  const turn = (on: boolean, letters: string, name: string) => {
    if (letters.includes("e") || name === "errexit") stopsOnError = on;
    if (on && (letters.includes("P") || name === "physical")) physical = true;
  };
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = known(args[at] as Text);
    if (word === undefined || !/^[-+]./.test(word) || word === "--") break;
    const named = word.endsWith("o") ? (known(args[at + 1] ?? []) ?? "") : "";
    turn(word.startsWith("-"), word, named);
    if (word.endsWith("o")) at += 1;
  }
  const first = known(args[at] ?? []);
  const rest = first === "--" || first === "-" ? args.slice(at + 1) : args.slice(at);
  const replaces = rest.length > 0 || first === "--";
  const prints = args.length === 0 || /^[-+]\w*o$/.test(known(args.at(-1) ?? []) ?? "");
  return both(
    { ...world, stopsOnError, physical, positional: replaces ? rest : world.positional },
    prints ? undefined : [],
  );
}

/** A count above the number of parameters changes nothing. A wildcard may expand to more items than are dropped. */
export function shiftCommand({ args, world }: BuiltinCall): Outcome {
  const count = Number(known(args[0] ?? literal("1")) ?? Number.NaN);
  const { positional } = world;
  if (positional === undefined || !Number.isInteger(count) || positional.slice(0, count).some(isWild))
    return both({ ...world, positional: undefined }, []);
  if (count > positional.length) return { ok: [], fail: [world], out: [] };
  return both({ ...world, positional: positional.slice(count) }, []);
}

const harmless =
  /^(?:extglob|globstar|nullglob|dotglob|failglob|expand_aliases|inherit_errexit|checkwinsize|histappend)$/;

/** Options that change the meaning of words and commands are not followed. */
export function shoptCommand({ m, args, world }: BuiltinCall): Outcome {
  const changes = args.some((arg) => /^-\w*[suo]/.test(knownStart(arg)));
  const names = args.filter((arg) => !knownStart(arg).startsWith("-"));
  const strange = names.filter((name) => !harmless.test(known(name) ?? "?"));
  if (changes && strange.length > 0)
    m.report.refuse(
      "unparsed",
      `\`shopt\` changes how the shell reads commands: leave \`${known(strange[0] as Text) ?? "…"}\` unchanged`,
    );
  return both(world, changes ? [] : undefined);
}

function isWild(text: Text): boolean {
  return text.some((piece) => piece.kind === "glob");
}

/** `break` and `continue`: the world continues after as many loops as they name. */
export function leaveLoops({ m, args, world }: BuiltinCall): Outcome {
  const { broken } = m.escapes;
  if (broken === undefined) return both(world, []);
  const single = args.length === 0 || known(args[0] as Text) === "1";
  for (const reached of single ? broken.slice(-1) : broken) reached.push(world);
  return { ok: [], fail: [], out: [] };
}

export function leave(reached: World[] | undefined, world: World): Outcome {
  if (reached === undefined) return both(world, []);
  reached.push(world);
  return { ok: [], fail: [], out: [] };
}
