import type { Case, If } from "unbash";
import type { Evaluator } from "./evaluate.ts";
import type { Input } from "./types.ts";
import { both, combine, distinct, type Outcome, type World } from "./world.ts";

export function runIf(m: Evaluator, node: If, world: World, input: Input): Outcome {
  const outcomes: Outcome[] = [];
  let remaining: readonly World[] = [world];
  for (const branch of [node, ...node.elif]) {
    const test = (so: World) => m.list(branch.clause.commands, so, input);
    const tested = combine(remaining.map((so) => m.tested(so, test)));
    outcomes.push(...tested.ok.map((so) => m.list(branch.then.commands, so, input)));
    remaining = tested.fail;
  }
  const otherwise = node.else;
  outcomes.push(
    ...remaining.map((so) =>
      otherwise === undefined ? both(so, []) : m.list(otherwise.commands, so, input),
    ),
  );
  return combine(outcomes);
}

/** Any item may match; `;&` and `;;&` carry what one did into those behind it. */
export function runCase(m: Evaluator, node: Case, world: World, input: Input): Outcome {
  m.single(node.word, world);
  const outcomes: Outcome[] = [both(world, [])];
  let carried: readonly World[] = [];
  for (const item of node.items) {
    for (const pattern of item.pattern) m.single(pattern, world);
    const entered = distinct([world, ...carried]).map((so) => m.list(item.body.commands, so, input));
    outcomes.push(...entered);
    if (item.terminator !== undefined && item.terminator !== ";;")
      carried = distinct([...carried, ...entered.flatMap(({ ok, fail }) => [...ok, ...fail])]);
  }
  return { ...combine(outcomes), out: undefined };
}
