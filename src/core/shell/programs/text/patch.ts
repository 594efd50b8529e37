import type { Options } from "../../read-options.ts";
import { concat, known, knownParts, literal, type Text, unknownText } from "../../text.ts";
import type { Call, Effects } from "../../types.ts";
import type { Hook, Row } from "../row/row.ts";
import { inFolder, writeTrees } from "../row/words.ts";
import { type DiffReading, readDiff, readPatch, type Strip } from "./patch-targets.ts";

/** A patch known as text lists the files it writes. Any other patch is opaque. */
export function writePatch(
  input: Call["input"],
  effects: Effects,
  reading: DiffReading & { readonly alsoWrites?: (target: Text) => void },
): void {
  if (input.kind === "none") return;
  const targets = input.kind === "text" ? readDiff(knownParts(input.text), reading) : [];
  if (targets.length === 0 || input.kind !== "text" || known(input.text) === undefined) {
    effects.opaque("the patch decides which files it writes");
  }
  for (const { path, action } of targets) {
    effects.write(literal(path), action);
    reading.alsoWrites?.(literal(path));
  }
}

export function stripOf(options: Options, otherwise: Strip): Strip {
  const value = options.value("p");
  const count = value === undefined ? undefined : Number(known(value));
  return count !== undefined && Number.isInteger(count) && count >= 0 ? count : otherwise;
}

const patches: Hook = (options, effects, call) => {
  const folder = options.value("d");
  const alsoWrites = (target: Text) => {
    if (mayBeFolder(inFolder(folder ?? [], target), call)) effects.write(concat(target, literal(".rej")));
  };
  const [original] = options.operands;
  if (original !== undefined) {
    effects.write(original);
    return alsoWrites(original);
  }
  if (folder !== undefined && call.input.kind !== "text") writeTrees([literal(".")], effects);
  if (options.has("i")) return effects.opaque("the patch decides which files it writes");
  const counts = !options.has("c", "e", "n");
  writePatch(call.input, effects, { strip: stripOf(options, "all"), counts, alsoWrites });
};

/** `patch` refuses to change a folder and writes the reason to a file next to it. */
function mayBeFolder(path: Text, { tree }: Call): boolean {
  return tree?.isFolder(known(path) ?? ".") !== false;
}

/** Codex's own editor: the patch is an operand or standard input. */
const appliesPatch: Hook = (_, effects, call) => {
  const text = call.args.at(-1) ?? (call.input.kind === "text" ? call.input.text : unknownText);
  const targets = readPatch(knownParts(text));
  if (known(text) === undefined || targets.length === 0) effects.write(unknownText);
  for (const { path, action } of targets) effects.write(literal(path), action);
};

export const patchPrograms: readonly Row[] = [
  {
    names: "patch gpatch",
    values: "p,strip i,input D,ifdef F,fuzz g,get V,version-control x read-only quoting-style reject-format",
    flags: "R,reverse N,forward b,backup E f,force s,quiet,silent t,batch l u c e n",
    in: "d,directory",
    files: "r,reject-file",
    parts: "B,prefix z,suffix Y,basename-prefix",
    harmless: "dry-run C,check",
    cases: [{ when: "o,output", files: "o,output" }, { also: patches }],
    match: [
      "patch a < d -> a a.rej",
      "patch -o b a < d -> b",
      "patch -d e a < d -> e/a e/a.rej",
      "patch -p1 -i d",
    ],
    no_match: ["patch --dry-run a < d"],
  },
  {
    names: "apply_patch applypatch apply-patch",
    also: appliesPatch,
    match: ["apply_patch '*** Add File: a' -> a"],
  },
  {
    names: "quilt",
    opaque: "the patches decide which files they write",
    mentions: "all",
    match: ["quilt push"],
  },
];
