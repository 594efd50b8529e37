import type { Machine } from "./machine.ts";
import type { Piece, Text } from "./text.ts";
import { type World, withVariable } from "./world.ts";

export interface CodeSource {
  readonly text: string;
  readonly world: World;
}

/**
 * Text to be parsed as shell code. Names and paths that only the run will tell become variables in it, so
 * that their meaning is kept; anything else that is unknown could be any code, and is refused.
 */
export function codeSource(m: Machine, code: Text, world: World): CodeSource | undefined {
  if (
    code.some(
      (piece) => piece.kind === "processes" || (piece.kind === "unknown" && piece.source !== "generator"),
    )
  ) {
    m.report.refuse(
      "unknown-code",
      "runs text as shell code that cannot be known before: write the commands out",
    );
    return undefined;
  }
  if (code.some((piece) => piece.kind === "unknown"))
    m.report.opaque("eval", "it evaluates what a program made for that prints");
  let so = world;
  let text = "";
  code.forEach((piece, index) => {
    if (piece.kind === "literal") text += piece.text;
    else if (piece.kind === "unknown") text += "\n";
    else {
      const name = `__lockstep_${index}`;
      so = withVariable(so, name, [[piece satisfies Piece]]);
      text += `\${${name}}`;
    }
  });
  return { text, world: so };
}
