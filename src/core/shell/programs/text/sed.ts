import { known, knownParts, knownStart, literal, type Text, unknownText } from "../../text.ts";
import type { Effects } from "../../types.ts";
import type { Hook, Row } from "../row/row.ts";
import { contentOf, joinedBy } from "../row/words.ts";
import { readSedScript } from "./sed-script.ts";

const edits: Hook = (options, effects, call) => {
  const inPlace = options.has("i");
  const operands = inPlace ? withoutBsdSuffix(options.operands) : options.operands;
  const hasScript = options.has("e", "f");
  const read = options.all("f").flatMap((file) => contentOf(file, call) ?? []);
  const script = hasScript ? joinedBy("\n", [...options.all("e"), read]) : (operands[0] ?? []);
  const files = hasScript ? operands : operands.slice(1);
  reportScript(script, files, effects);
  if (inPlace) for (const file of files) effects.write(file);
};

/** BSD's `-i ''` leaves an empty operand that GNU does not have. */
function withoutBsdSuffix(operands: readonly Text[]): readonly Text[] {
  return operands[0]?.length === 0 ? operands.slice(1) : operands;
}

/** A script with an unknown start may even be an option. Then the files count as mentioned. */
function reportScript(script: Text, files: readonly Text[], effects: Effects): void {
  const { files: written, commands, isWhole } = readSedScript(knownParts(script));
  const isKnown = known(script) !== undefined;
  if (!isKnown && !isWhole) effects.write(unknownText);
  else if (!isKnown || !isWhole) effects.opaque("a part of the script is not known");
  if (knownStart(script) === "" && script.length > 0) for (const file of files) effects.operand(file);
  const textOf = (part: string) => (part.includes("\u{fffd}") ? unknownText : literal(part));
  for (const file of new Set(written)) effects.write(textOf(file));
  for (const command of new Set(commands)) {
    if (command !== "") effects.shell(textOf(command));
    else
      effects.refuse("unknown-code", "the sed script runs its input as shell code: write the commands out");
  }
}

export const sed: Row = {
  names: "sed ssed",
  values: "e,expression f,file l,line-length",
  glued: "i,in-place,I",
  flags: "n,quiet,silent E r,regexp-extended s,separate z,null-data u,unbuffered",
  parts: "i",
  besides: [{ when: "f", opaque: "the script may write files" }],
  also: edits,
  match: [
    "sed -i s/a/b/ a b -> a b",
    "sed -n 'w a' b -> a",
    "sed 's/a/touch b/e' a",
    "sed -i../x s/a/b/ a -> ? a",
  ],
  no_match: ["sed s/a/b/ a", "sed -n 1p a"],
};
