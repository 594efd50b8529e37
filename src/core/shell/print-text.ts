import { anyName, concat, known, knownParts, literal, type Text } from "./text.ts";

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  a: "\x07",
  b: "\b",
  "0": "\0",
};

/** The output of `echo`; undefined if it contains an escape that is not followed. */
export function echoed(args: readonly Text[]): Text | undefined {
  let first = 0;
  let interprets = false;
  let newline = true;
  for (; first < args.length; first += 1) {
    const option = known(args[first] as Text) ?? "";
    if (!/^-[neE]+$/.test(option)) break;
    if (option.includes("n")) newline = false;
    if (option.includes("e")) interprets = true;
  }
  const texts = args.slice(first).flatMap((arg, index) => (index === 0 ? [arg] : [literal(" "), arg]));
  // In some shells `echo` interprets backslashes without an option.
  const backslash = texts.some((part) => knownParts(part, "").includes("\\"));
  const text = backslash ? (interprets ? unescaped(concat(...texts)) : undefined) : concat(...texts);
  return text === undefined ? undefined : concat(text, literal(newline ? "\n" : ""));
}

/** The output of `printf` for formats made of text, `%s` and `%d`. */
export function printed(args: readonly Text[]): Text | undefined {
  const [first, ...values] = args[0] !== undefined && known(args[0]) === "--" ? args.slice(1) : args;
  const format = first === undefined ? undefined : known(first);
  const plain = format === undefined ? undefined : unescaped(literal(format));
  const template = plain === undefined ? undefined : known(plain);
  const wild = values.some((value) => value.some((piece) => piece.kind === "glob"));
  if (template === undefined || wild || /%(?!s|%|-?\d*[di])/.test(template)) return undefined;
  const pieces = template.split(/(%s|%%|%-?\d*[di])/);
  const slots = pieces.filter((piece) => /^%[^%]/.test(piece)).length;
  const out: Text[] = [];
  let next = 0;
  do {
    for (const piece of pieces) out.push(slotText(piece, () => values[next++]));
  } while (slots > 0 && next < values.length);
  return concat(...out);
}

function slotText(piece: string, next: () => Text | undefined): Text {
  if (piece === "%s") return next() ?? [];
  if (!/^%-?\d*[di]$/.test(piece)) return literal(piece === "%%" ? "%" : piece);
  next();
  return anyName;
}

function unescaped(text: Text): Text | undefined {
  let understood = true;
  const out = text.flatMap((piece) => {
    if (piece.kind !== "literal") return [piece];
    return literal(
      piece.text.replace(/\\(.)/gs, (_, character: string) => {
        const value = escapes[character];
        if (value === undefined) understood = false;
        return value ?? "";
      }),
    );
  });
  return understood ? out : undefined;
}
