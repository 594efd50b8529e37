const opening = (name: string) => `# >>> lockstep ${name}:`;
const closing = (name: string) => `# <<< lockstep ${name}`;
const hint = "written by `lockstep init`, removed by `lockstep init --remove`";

/** Appends a marked block, with one line break before it that is removed with it. */
export function withBlock(text: string | null, name: string, lines: readonly string[]): string {
  const eol = text?.includes("\r\n") === true ? "\r\n" : "\n";
  const block = [`${opening(name)} ${hint}`, ...lines, closing(name), ""].join(eol);
  return text === null ? block : `${text}${eol}${block}`;
}

/** Null if the file contains nothing but the block. */
export function withoutBlock(text: string, name: string): string | null {
  const span = blockSpan(text, name);
  if (span === undefined) return text;
  const [start, end] = span;
  if (start === 0 && end === text.length) return null;
  const [head, tail] = [text.slice(0, start), text.slice(end)];
  const bare = head.replace(/\r?\n$/, "");
  const wouldJoin = tail !== "" && bare !== "" && !bare.endsWith("\n");
  return (wouldJoin ? head : bare) + tail;
}

/** From the first character of the block to the end of its last line break. */
export function blockSpan(text: string, name: string): readonly [number, number] | undefined {
  const start = text.indexOf(opening(name));
  const last = start < 0 ? -1 : text.indexOf(closing(name), start);
  if (last < 0) return undefined;
  const eol = /^\r?\n/.exec(text.slice(last + closing(name).length))?.[0] ?? "";
  return [start, last + closing(name).length + eol.length];
}
