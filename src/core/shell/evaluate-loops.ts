import type { ArithmeticFor, For, Select, While } from "unbash";
import { assign } from "./assign.ts";
import type { Evaluator } from "./evaluate.ts";
import { LimitExceeded } from "./machine.ts";
import { runArithmetic } from "./run-nested.ts";
import { known, type Text, unknownText } from "./text.ts";
import type { Input } from "./types.ts";
import { agreed, combine, distinct, type Outcome, sameWorld, type World } from "./world.ts";

const turnsMax = 64;
const exactPasses = 3;

/** Runs once per item if all items are known. If an item is unknown, runs until the worlds stop changing. */
export function runFor(m: Evaluator, node: For | Select, world: World, input: Input): Outcome {
  const listed = node.wordlist?.flatMap((word) => m.fields(word, world)) ?? world.positional ?? [unknownText];
  const items = listed.length > turnsMax ? [unknownText] : listed;
  const many = node.type === "Select" || items.some((item) => known(item) === undefined);
  const all = (worlds: readonly World[]) =>
    items.reduce((current, item) => oneTurn(m, node, { worlds: current, item, input }), worlds);
  let after: readonly World[] = [world];
  const left = inLoop(m, () => {
    after = many ? untilStable([world], all) : all([world]);
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
    worlds.map((from) => m.list(node.body.commands, assign(m, from, node.name.value, [item]), input)),
  );
  return distinct([...outcome.ok, ...outcome.fail, ...leftBehind(m)]);
}

export function runWhile(m: Evaluator, node: While | ArithmeticFor, world: World, input: Input): Outcome {
  const exits: World[] = [];
  let after: readonly World[] = [world];
  const left = inLoop(m, () => {
    after = untilStable([world], (worlds) => {
      const { ended, next } = onePass(m, node, worlds, input);
      exits.push(...ended);
      return next;
    });
  });
  const all = distinct([world, ...exits, ...after, ...left]);
  return { ok: all, fail: all, out: undefined };
}

/**
 * Repeats a pass until it brings no new world. After a few exact passes only the facts that all worlds share are
 * kept. Every further pass can only forget more, so the loop ends.
 */
function untilStable(
  start: readonly World[],
  pass: (worlds: readonly World[]) => readonly World[],
): readonly World[] {
  let current = start;
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const all = [...current, ...pass(current)];
    const merged = turn < exactPasses ? distinct(all) : [all.reduce(agreed)];
    const isStable = merged.every((world) => current.some((known) => sameWorld(known, world)));
    if (isStable) return current;
    current = merged;
  }
  throw new LimitExceeded("the analysis of a loop in it does not end; split it into simpler commands");
}

function onePass(m: Evaluator, node: While | ArithmeticFor, worlds: readonly World[], input: Input) {
  const condition = combine(worlds.map((from) => test(m, node, from, input)));
  const until = node.type === "While" && node.kind === "until";
  const enters = until ? condition.fail : condition.ok;
  const body = combine(enters.map((from) => m.list(node.body.commands, from, input)));
  return { ended: until ? condition.ok : condition.fail, next: [...body.ok, ...body.fail, ...leftBehind(m)] };
}

function test(m: Evaluator, node: While | ArithmeticFor, world: World, input: Input): Outcome {
  if (node.type === "While") return m.asCondition(world, (from) => m.list(node.clause.commands, from, input));
  for (const part of [node.initialize, node.test, node.update])
    if (part !== undefined) runArithmetic(m, part, world);
  return { ok: [world], fail: [world], out: [] };
}

function leftBehind(m: Evaluator): readonly World[] {
  return m.escapes.broken?.at(-1) ?? [];
}

/** Runs the loop and returns the worlds in which a `break` or `continue` left its body. */
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
