import type { ArithmeticFor, For, Select, While } from "unbash";
import { assign } from "./assign.ts";
import { combine, type Evaluator } from "./evaluate.ts";
import { runArithmetic } from "./run-nested.ts";
import { known, type Text, unknownText } from "./text.ts";
import type { Input } from "./types.ts";
import { agreed, distinct, type Outcome, type World } from "./world.ts";

const turnsMax = 64;
const passesMax = 3;

/** Turn by turn where the items are known; twice where one item stands for many. */
export function runFor(m: Evaluator, node: For | Select, world: World, input: Input): Outcome {
  const listed = node.wordlist?.flatMap((word) => m.fields(word, world)) ?? world.positional ?? [unknownText];
  const items = listed.length > turnsMax ? [unknownText] : listed;
  const turns = items.every((item) => known(item) !== undefined) ? items : [...items, ...items];
  let current: readonly World[] = [world];
  const left = inLoop(m, () => {
    for (const item of turns) current = oneTurn(m, node, { worlds: current, item, input });
  });
  return {
    ok: distinct([...current, ...left]),
    fail: distinct([world, ...current, ...left]),
    out: undefined,
  };
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
  return distinct([...outcome.ok, ...outcome.fail, ...(m.escapes.broken ?? [])]);
}

/** Repeats until nothing new is learned; then forgets what keeps changing. */
export function runWhile(m: Evaluator, node: While | ArithmeticFor, world: World, input: Input): Outcome {
  const exits: World[] = [];
  let current: readonly World[] = [world];
  const left = inLoop(m, () => {
    for (let pass = 0; pass <= passesMax; pass += 1) {
      const { ended, next } = onePass(m, node, current, input);
      exits.push(...ended);
      const merged = distinct([...current, ...next]);
      if (merged.length === current.length && pass > 0) return;
      current = pass === passesMax - 1 ? [merged.reduce(agreed)] : merged;
    }
  });
  const after = distinct([world, ...exits, ...current, ...left]);
  return { ok: after, fail: after, out: undefined };
}

function onePass(m: Evaluator, node: While | ArithmeticFor, worlds: readonly World[], input: Input) {
  const tested = combine(worlds.map((so) => test(m, node, so, input)));
  const until = node.type === "While" && node.kind === "until";
  const enters = until ? tested.fail : tested.ok;
  const body = combine(enters.map((so) => m.list(node.body.commands, so, input)));
  return {
    ended: until ? tested.ok : tested.fail,
    next: [...body.ok, ...body.fail, ...(m.escapes.broken ?? [])],
  };
}

function test(m: Evaluator, node: While | ArithmeticFor, world: World, input: Input): Outcome {
  if (node.type === "While") return m.tested(world, (so) => m.list(node.clause.commands, so, input));
  for (const part of [node.initialize, node.test, node.update])
    if (part !== undefined) runArithmetic(m, part, world);
  return { ok: [world], fail: [world], out: [] };
}

/** Worlds that a break or continue left the body with. */
function inLoop(m: Evaluator, turns: () => void): readonly World[] {
  const outer = m.escapes;
  const broken: World[] = [];
  m.escapes = { ...outer, broken };
  try {
    turns();
    return broken;
  } finally {
    m.escapes = outer;
  }
}
