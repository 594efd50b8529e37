import { known, knownStart, literal, type Text, unknownText } from "../text.ts";
import type { Program } from "../types.ts";
import { named, reading, writeFiles } from "./row/describe.ts";

/** ffmpeg: every option but a few takes a value; what is left are outputs. */
const ffmpegFlags =
  /^-(?:y|n|vn|an|sn|dn|hide_banner|nostdin|stdin|shortest|re|stats|nostats|report|benchmark|version|copyts|h|help|formats|codecs|encoders|decoders|filters)$/;

const ffmpeg: Program = (call, effects) => {
  for (let at = 0; at < call.args.length; at++) {
    const word = call.args[at] ?? [];
    const start = knownStart(word);
    if (ffmpegFlags.test(start)) continue;
    if (start.startsWith("-") && start.length > 1) at++;
    else if (!/^(?:-|pipe:|\w+:\/\/)/.test(start)) effects.write(word);
  }
};

/** ImageMagick: the last operand is the picture that is written. */
const imageMagick: Program = (call, effects) => {
  const [verb, ...rest] = call.args;
  const isMogrify = call.name === "mogrify" || known(verb ?? []) === "mogrify";
  const args = /^(?:mogrify|convert|composite|montage)$/.test(known(verb ?? []) ?? "") ? rest : call.args;
  if (known(verb ?? []) === "identify" || args.length === 0) return;
  const target = args.at(-1) ?? [];
  for (const [at, word] of args.entries())
    if (known(word) === "-write") effects.write(args[at + 1] ?? unknownText);
  if (isMogrify) {
    const files = args.filter((word) => !knownStart(word).startsWith("-") && /[./]/.test(known(word) ?? "."));
    for (const file of files) effects.write(file);
  } else if (args.length > 1 && !/^(?:-|info:|null:|\w+:-$)/.test(knownStart(target))) effects.write(target);
};

/** `exiftool -TAG=value FILE…` rewrites; without an assignment it reads. */
const exiftool: Program = (call, effects) => {
  const assigns = call.args.some((word) =>
    /^-[\w:#+-]+<?=|^-overwrite_original|^-delete_original/.test(knownStart(word)),
  );
  const at = call.args.findIndex((word) => /^-(?:o|out)$/.test(known(word) ?? ""));
  if (at >= 0) writeFiles(call.args.slice(at + 1, at + 2), effects);
  if (assigns)
    for (const word of call.args)
      if (!knownStart(word).startsWith("-")) effects.write(word, "write", { tree: true });
};

/** `sass IN OUT`, `sass IN:OUT`. */
const sass = reading(
  { values: "I,load-path s,style pkg-importer", flags: "watch update no-source-map stdin" },
  (options, effects) => {
    const pairs = options.operands.flatMap((word): Text[] => {
      const text = known(word);
      const colon = text?.lastIndexOf(":") ?? -1;
      return text === undefined || colon <= 1 ? [] : [literal(text.slice(colon + 1))];
    });
    const targets = pairs.length > 0 ? pairs : options.operands.slice(1, 2);
    for (const target of targets) effects.write(target, "write", { tree: true });
  },
);

/** `pdftk A output B`. */
const pdftk: Program = (call, effects) => {
  const at = call.args.findIndex((word) => known(word) === "output");
  if (at >= 0) writeFiles(call.args.slice(at + 1, at + 2), effects);
};

export const converters = new Map<string, Program>([
  ["ffmpeg", ffmpeg],
  ...named("convert magick mogrify composite montage gm", imageMagick),
  ["exiftool", exiftool],
  ["sass", sass],
  ["pdftk", pdftk],
]);
