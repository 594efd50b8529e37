import type { Options } from "../../read-options.ts";
import { concat, known, knownParts, literal, type Text, unknownText } from "../../text.ts";
import type { Call, Effects, Program } from "../../types.ts";
import { hasSlash, inFolder, mention, reading, writeFiles } from "../row/describe.ts";
import { type DiffReading, readDiff, readPatch, type Strip } from "./patch-targets.ts";

/** A patch known as text names what it writes; any other decides by itself. */
export function writePatch(
  input: Call["input"],
  effects: Effects,
  reading: DiffReading & { readonly beside?: (target: Text) => void },
): void {
  if (input.kind === "none") return;
  const targets = input.kind === "text" ? readDiff(knownParts(input.text), reading) : [];
  if (targets.length === 0 || input.kind !== "text" || known(input.text) === undefined) {
    effects.opaque("the patch names what it writes");
  }
  for (const { path, action } of targets) {
    effects.write(literal(path), action);
    reading.beside?.(literal(path));
  }
}

export function stripOf(options: Options, otherwise: Strip): Strip {
  const value = options.value("p");
  const count = value === undefined ? undefined : Number(known(value));
  return count !== undefined && Number.isInteger(count) && count >= 0 ? count : otherwise;
}

const patch = reading(
  {
    values:
      "p,strip i,input d,directory o,output r,reject-file B,prefix z,suffix Y,basename-prefix D,ifdef F,fuzz g,get V,version-control x read-only quoting-style reject-format",
    flags:
      "R,reverse N,forward b,backup dry-run C,check E f,force s,quiet,silent t,batch l u c e n posix merge binary",
  },
  (options, effects, call) => {
    const folder = options.value("d");
    const inner = folder === undefined ? effects : effects.within(folder);
    const output = options.value("o");
    writeFiles(options.all("r"), inner);
    if (options.has("dry-run", "C")) return;
    if (["B", "z", "Y"].some((key) => hasSlash(options.value(key)))) inner.write(unknownText);
    if (output !== undefined) return writeFiles([output], inner);
    const original = options.operands[0];
    const beside = (target: Text) => {
      if (mayBeFolder(inFolder(folder ?? [], target), call)) inner.write(concat(target, literal(".rej")));
    };
    if (original !== undefined) {
      inner.write(original);
      return beside(original);
    }
    if (folder !== undefined && call.input.kind !== "text")
      inner.write(literal("."), "write", { tree: true });
    if (options.has("i")) return inner.opaque("the patch names what it writes");
    writePatch(call.input, inner, {
      ...{ strip: stripOf(options, "all"), counts: !options.has("c", "e", "n"), beside },
    });
  },
);

/** `patch` refuses a folder, and says so in a file beside it. */
function mayBeFolder(path: Text, { tree }: Call): boolean {
  return tree?.isFolder(known(path) ?? ".") !== false;
}

/** Codex's own editor: the patch is an operand or comes on standard input. */
const applyPatch: Program = (call, effects) => {
  const text = call.args.at(-1) ?? (call.input.kind === "text" ? call.input.text : unknownText);
  const targets = readPatch(knownParts(text));
  if (known(text) === undefined || targets.length === 0) effects.write(unknownText);
  for (const { path, action } of targets) effects.write(literal(path), action);
};

export const patches = new Map<string, Program>([
  ["patch", patch],
  ["gpatch", patch],
  ["apply_patch", applyPatch],
  ["applypatch", applyPatch],
  ["apply-patch", applyPatch],
  [
    "quilt",
    (call, effects) => {
      effects.opaque("the patches name what they write");
      mention(call.args, effects);
    },
  ],
]);
