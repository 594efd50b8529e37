import type { Machine } from "./machine.ts";
import type { Piece, Text } from "./text.ts";
import { type World, withVariable } from "./world.ts";

export interface CodeSource {
  readonly text: string;
  readonly world: World;
}

/**
 * Text to be parsed as shell code. Unknown names and paths become variables in it, which keeps their meaning. Any
 * other unknown piece could be any code, and is refused.
 */
export function codeSource(m: Machine, code: Text, world: World): CodeSource | undefined {
  if (
    code.some(
      (piece) => piece.kind === "processes" || (piece.kind === "unknown" && piece.source !== "generator"),
    )
  ) {
    m.report.refuse(
      "unknown-code",
      "the command runs text as shell code that is not known before it runs: write the commands out",
    );
    return undefined;
  }
  if (code.some((piece) => piece.kind === "unknown"))
    m.report.opaque("eval", "it evaluates the code that another program prints");
  let current = world;
  let text = "";
  code.forEach((piece, index) => {
    if (piece.kind === "literal") text += piece.text;
    else if (piece.kind === "unknown") text += "\n";
    else {
      const name = `__lockstep_${index}`;
      current = withVariable(current, name, [[piece satisfies Piece]]);
      text += `\${${name}}`;
    }
  });
  return { text, world: current };
}
