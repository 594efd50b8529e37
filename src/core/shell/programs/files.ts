import {
  anyName,
  known,
  knownParts,
  knownStart,
  literal,
  type Text,
  unknownText,
  withoutStart,
} from "../text.ts";
import type { Program } from "../types.ts";
import { baseName, describe, hasSlash, inFolder, named, reading, writeTrees } from "./row/describe.ts";

/** `chmod -w x` and `chattr -i x`: a mode may look like an option. */
const chmod: Program = (call, effects) => {
  const isMode = (word: Text) => /^-[rwxXstugo,=+]+$/.test(known(word) ?? "");
  const at = call.args.findIndex(isMode);
  const args = at < 0 ? call.args : call.args.map((word, index) => (index === at ? literal("+") : word));
  changeMode({ ...call, args }, effects);
};
/** The first operand is no file unless `--reference` gives the mode. */
const changeMode = describe({
  values: "reference from",
  writes: "after-first",
  action: "attributes",
  tree: "R,recursive",
  cases: [{ when: "reference", writes: "operands", action: "attributes", tree: "R,recursive" }],
});

const chattr: Program = (call, effects) => {
  const isFile = (word: Text) => !/^[-+=]/.test(knownStart(word));
  const tree = call.args.some((word) => /^-[a-zA-Z]*R/.test(knownStart(word)));
  for (const word of call.args) if (isFile(word)) effects.write(word, "attributes", { tree });
};

const dd: Program = (call, effects) => {
  for (const word of call.args) {
    if (knownStart(word).startsWith("of=")) effects.write(withoutStart(word, 3));
    else if (knownStart(word) === "" && word.length > 0) effects.write(word);
  }
};

const ln = reading(
  {
    values: "t,target-directory S,suffix",
    glued: "backup",
    flags: "s,symbolic f,force n,no-dereference T,no-target-directory L P r,relative i v b d F",
  },
  (options, effects) => {
    const folder = options.value("t");
    const { operands } = options;
    if (hasSlash(options.value("S"))) effects.write(unknownText);
    const alone = operands.length === 1 || folder !== undefined;
    const sources = alone ? operands : operands.slice(0, -1);
    if (!options.has("s")) for (const source of sources) effects.write(source, "link");
    if (folder !== undefined) writeTrees([folder], effects, "link");
    else if (operands.length === 1) effects.write(baseName(operands[0] ?? []) ?? anyName, "link");
    else if (operands.length > 1) effects.write(operands.at(-1) ?? [], "link", { tree: operands.length > 2 });
  },
);

/** Without a template or with `-t`, `-p`: a new file in the temporary folder, which is scratch. */
const mktemp = reading(
  { values: "p suffix", glued: "tmpdir", flags: "d,directory u,dry-run q,quiet t V" },
  (options, effects) => {
    const folder = options.value("p", "tmpdir");
    const template = options.operands[0];
    if (options.has("u")) return;
    if (folder !== undefined && folder.length > 0) effects.write(inFolder(folder, anyName));
    else if (template !== undefined && !options.has("t", "tmpdir", "p")) effects.write(template);
  },
);

/** perl's `rename EXPR FILE…` and util-linux's `rename FROM TO FILE…`. */
const rename = reading(
  {
    values: "e",
    flags: "n,nono,no-act,dry-run f,force v,verbose o,no-overwrite s,symlink d i 0,null a,all l,last",
  },
  (options, effects, call) => {
    const code = options.value("e") ?? options.operands[0];
    if (code !== undefined) effects.code(code);
    if (/[({`]/.test(knownParts(code ?? []))) effects.opaque("the expression is code");
    if (options.has("n")) return;
    const files = options.operands.slice(options.has("e") ? 0 : 1);
    for (const file of files) effects.write(file, "move", { tree: true });
    if (files.length === 0 || call.input.kind !== "none") effects.opaque("it names the files by itself");
  },
);

export const files = new Map<string, Program>([
  ["ln", ln],
  ["dd", dd],
  ["chmod", chmod],
  ["chattr", chattr],
  ["mktemp", mktemp],
  ...named("rename prename perl-rename file-rename mmv", rename),
]);
