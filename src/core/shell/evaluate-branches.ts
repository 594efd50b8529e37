import type { Case, If } from "unbash";
import type { Evaluator } from "./evaluate.ts";
import type { Input } from "./types.ts";
import { both, combine, distinct, type Outcome, type World } from "./world.ts";

export function runIf(m: Evaluator, node: If, world: World, input: Input): Outcome {
  const outcomes: Outcome[] = [];
  let remaining: readonly World[] = [world];
  for (const branch of [node, ...node.elif]) {
    const test = (from: World) => m.list(branch.clause.commands, from, input);
    const condition = combine(remaining.map((from) => m.asCondition(from, test)));
    outcomes.push(...condition.ok.map((from) => m.list(branch.then.commands, from, input)));
    remaining = condition.fail;
  }
  const otherwise = node.else;
  outcomes.push(
    ...remaining.map((from) =>
      otherwise === undefined ? both(from, []) : m.list(otherwise.commands, from, input),
    ),
  );
  return combine(outcomes);
}

/** Any item may match. `;&` and `;;&` carry the world of one item into the items after it. */
export function runCase(m: Evaluator, node: Case, world: World, input: Input): Outcome {
  m.single(node.word, world);
  const outcomes: Outcome[] = [both(world, [])];
  let carried: readonly World[] = [];
  for (const item of node.items) {
    for (const pattern of item.pattern) m.single(pattern, world);
    const entered = distinct([world, ...carried]).map((from) => m.list(item.body.commands, from, input));
    outcomes.push(...entered);
    if (item.terminator !== undefined && item.terminator !== ";;")
      carried = distinct([...carried, ...entered.flatMap(({ ok, fail }) => [...ok, ...fail])]);
  }
  return { ...combine(outcomes), out: undefined };
}
