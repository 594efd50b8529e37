import type { ArithmeticFor, For, Select, While } from "unbash";
import { assign } from "./assign.ts";
import type { Evaluator } from "./evaluate.ts";
import { TooMuch } from "./machine.ts";
import { runArithmetic } from "./run-nested.ts";
import { known, type Text, unknownText } from "./text.ts";
import type { Input } from "./types.ts";
import { agreed, combine, distinct, type Outcome, sameWorld, type World } from "./world.ts";

const turnsMax = 64;
const exactPasses = 3;

/** Turn by turn where the items are known; again and again where one item stands for many. */
export function runFor(m: Evaluator, node: For | Select, world: World, input: Input): Outcome {
  const listed = node.wordlist?.flatMap((word) => m.fields(word, world)) ?? world.positional ?? [unknownText];
  const items = listed.length > turnsMax ? [unknownText] : listed;
  const many = node.type === "Select" || items.some((item) => known(item) === undefined);
  const all = (worlds: readonly World[]) =>
    items.reduce((so, item) => oneTurn(m, node, { worlds: so, item, input }), worlds);
  let after: readonly World[] = [world];
  const left = inLoop(m, () => {
    after = many ? untilSettled([world], all) : all([world]);
  });
  return { ok: distinct([...after, ...left]), fail: distinct([world, ...after, ...left]), out: undefined };
}

interface Turn {
  readonly worlds: readonly World[];
  readonly item: Text;
  readonly input: Input;
}

function oneTurn(m: Evaluator, node: For | Select, { worlds, item, input }: Turn): readonly World[] {
  const outcome = combine(
    worlds.map((so) => m.list(node.body.commands, assign(m, so, node.name.value, [item]), input)),
  );
  return distinct([...outcome.ok, ...outcome.fail, ...leftBehind(m)]);
}

export function runWhile(m: Evaluator, node: While | ArithmeticFor, world: World, input: Input): Outcome {
  const exits: World[] = [];
  let after: readonly World[] = [world];
  const left = inLoop(m, () => {
    after = untilSettled([world], (worlds) => {
      const { ended, next } = onePass(m, node, worlds, input);
      exits.push(...ended);
      return next;
    });
  });
  const all = distinct([world, ...exits, ...after, ...left]);
  return { ok: all, fail: all, out: undefined };
}

/**
 * Repeats a pass until it brings nothing new. After a few exact passes only what all worlds agree on is kept:
 * every further pass can but forget more, so that it comes to an end.
 */
function untilSettled(
  start: readonly World[],
  pass: (worlds: readonly World[]) => readonly World[],
): readonly World[] {
  let current = start;
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const all = [...current, ...pass(current)];
    const merged = turn < exactPasses ? distinct(all) : [all.reduce(agreed)];
    const settled = merged.every((world) => current.some((known) => sameWorld(known, world)));
    if (settled) return current;
    current = merged;
  }
  throw new TooMuch("a loop in it does not settle");
}

function onePass(m: Evaluator, node: While | ArithmeticFor, worlds: readonly World[], input: Input) {
  const tested = combine(worlds.map((so) => test(m, node, so, input)));
  const until = node.type === "While" && node.kind === "until";
  const enters = until ? tested.fail : tested.ok;
  const body = combine(enters.map((so) => m.list(node.body.commands, so, input)));
  return { ended: until ? tested.ok : tested.fail, next: [...body.ok, ...body.fail, ...leftBehind(m)] };
}

function test(m: Evaluator, node: While | ArithmeticFor, world: World, input: Input): Outcome {
  if (node.type === "While") return m.tested(world, (so) => m.list(node.clause.commands, so, input));
  for (const part of [node.initialize, node.test, node.update])
    if (part !== undefined) runArithmetic(m, part, world);
  return { ok: [world], fail: [world], out: [] };
}

function leftBehind(m: Evaluator): readonly World[] {
  return m.escapes.broken?.at(-1) ?? [];
}

/** Worlds that a break or continue left the body with. */
function inLoop(m: Evaluator, turns: () => void): readonly World[] {
  const outer = m.escapes;
  const broken: World[] = [];
  m.escapes = { ...outer, broken: [...(outer.broken ?? []), broken] };
  try {
    turns();
    return broken;
  } finally {
    m.escapes = outer;
  }
}
