import { forEachChild, type SyntaxNode, type TestExpression } from "unbash";
import { variableValue } from "./expand-parameter.ts";
import { isLoader } from "./loader-variables.ts";
import type { Machine } from "./machine.ts";
import { concat, known, literal, type Text } from "./text.ts";
import type { World } from "./world.ts";

const noInput = { kind: "none" } as const;
const substitution = /\$\(|`/;
const numericTests = new Set(["-v", "-R", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

/** Runs the substitutions inside an arithmetic expression, including those in the values of its variables. */
export function runArithmetic(m: Machine, node: SyntaxNode, world: World): void {
  if (node.type === "ArithmeticBinary" && /^[^=!<>]*=$|^(?:<<|>>)=$/.test(node.operator))
    countIn(m, node.left);
  if (node.type === "ArithmeticUnary" && /^(?:\+\+|--)$/.test(node.operator)) countIn(m, node.operand);
  if (node.type === "ArithmeticWord") {
    runSubscript(m, literal(node.value), world);
    return;
  }
  runNested(m, node, world, runArithmetic);
}

/** Runs the substitutions inside a `[[ … ]]`. Numeric tests evaluate their operands as arithmetic. */
export function runTest(m: Machine, node: TestExpression, world: World): void {
  if (node.type === "TestUnary" || node.type === "TestBinary") {
    const words = node.type === "TestUnary" ? [node.operand] : [node.left, node.right];
    for (const word of words) {
      const text = m.single(word, world);
      if (numericTests.has(node.operator)) runSubscript(m, text, world);
    }
    return;
  }
  forEachChild(node, (child) => runTest(m, child as TestExpression, world));
}

const nestingMax = 4;

/**
 * A shell evaluates `a[$(…)]` as arithmetic and runs the substitution in it, even if it was quoted. It also evaluates
 * the values of the names in it.
 */
export function runSubscript(m: Machine, text: Text, world: World, depth = 0): void {
  const plain = known(text);
  if (plain === undefined || depth > nestingMax) return;
  if (substitution.test(plain))
    m.subshell(concat(literal(': "'), literal(plain.replaceAll('"', "")), literal('"')), world, noInput);
  for (const name of new Set(plain.match(/[A-Za-z_]\w*|(?<=\$)\d/g) ?? [])) {
    const value = variableValue(m, name, world);
    if (Array.isArray(value)) for (const item of value) runSubscript(m, item, world, depth + 1);
  }
}

function runNested(m: Machine, node: SyntaxNode, world: World, each: typeof runArithmetic): void {
  if (node.type === "Word") m.single(node, world);
  else if (node.type === "CommandExpansion" || node.type === "ArithmeticCommandExpansion") {
    if (node.script !== undefined) m.script(node.script, world, noInput);
  } else forEachChild(node, (child) => each(m, child, world));
}

function countIn(m: Machine, node: SyntaxNode): void {
  if (node.type === "ArithmeticWord") countNames(m, node.value);
  else forEachChild(node, (child) => countIn(m, child));
}

/** Marks variables as set to an unknown number, or unchanged. */
export function countNames(m: Machine, expression: string): void {
  for (const name of expression.match(/[A-Za-z_]\w*/g) ?? []) {
    m.counted.add(name);
    if (isLoader(name))
      m.report.refuse(
        "loader",
        `the command sets \`${name}\`, which changes how later commands are found or loaded: leave it unchanged`,
      );
  }
}
