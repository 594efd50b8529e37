/** One segment of a glob: `*`, `?`, `[a-z]` and literal characters. Matching backtracks only to the last `*`. */
export interface SegmentPattern {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The literal start and end of every match, to reject most names early. */
  readonly prefix: string;
  readonly suffix: string;
}

type Token = string | typeof star | CharacterClass;
const star = Symbol("*");

interface CharacterClass {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [number, number])[];
}

const anyCharacter: CharacterClass = { negated: true, ranges: [] };

export function isPattern(segment: string): boolean {
  return /[*?]|\[[^\]]/.test(segment);
}

export function segmentPattern(text: string): SegmentPattern {
  const characters = [...text];
  const lastClose = characters.lastIndexOf("]");
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] as string;
    const group = character === "[" && at < lastClose ? readClass(characters, at) : undefined;
    if (group !== undefined) {
      tokens.push(group.class);
      at = group.end;
    } else if (character === "*") {
      if (tokens.at(-1) !== star) tokens.push(star);
    } else tokens.push(character === "?" ? anyCharacter : character);
  }
  return { text, tokens, prefix: literalRun(tokens), suffix: literalRun(tokens.toReversed(), true) };
}

function literalRun(tokens: readonly Token[], reversed = false): string {
  const end = tokens.findIndex((token) => typeof token !== "string");
  const run = (end < 0 ? tokens : tokens.slice(0, end)) as readonly string[];
  return (reversed ? run.toReversed() : run).join("");
}

/** True for `*` alone, which every segment matches. */
export function matchesEverything(pattern: SegmentPattern): boolean {
  return pattern.tokens.length === 1 && pattern.tokens[0] === star;
}

export function matchesSegment(pattern: SegmentPattern, segment: string): boolean {
  const { tokens, prefix, suffix } = pattern;
  if (!segment.startsWith(prefix) || !segment.endsWith(suffix)) return false;
  const characters = [...segment];
  let token = 0;
  let at = 0;
  let lastStar = -1;
  let resumeAt = 0;
  while (at < characters.length) {
    const wanted = tokens[token];
    if (wanted === star) {
      lastStar = token;
      resumeAt = at;
      token += 1;
    } else if (wanted !== undefined && accepts(wanted, characters[at] as string)) {
      token += 1;
      at += 1;
    } else if (lastStar >= 0) {
      resumeAt += 1;
      at = resumeAt;
      token = lastStar + 1;
    } else return false;
  }
  while (tokens[token] === star) token += 1;
  return token === tokens.length;
}

/** True if some name matches both patterns. Exact; takes time proportional to the product of their lengths. */
export function patternsMeet(a: SegmentPattern, b: SegmentPattern): boolean {
  if (!alike(a.prefix, b.prefix, "startsWith") || !alike(a.suffix, b.suffix, "endsWith")) return false;
  const width = b.tokens.length + 1;
  const reached = new Uint8Array((a.tokens.length + 1) * width);
  const queue = [0];
  const visit = (i: number, j: number) => {
    const state = i * width + j;
    if (i > a.tokens.length || j > b.tokens.length || reached[state] === 1) return;
    reached[state] = 1;
    queue.push(state);
  };
  for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
    const i = Math.floor(state / width);
    const j = state % width;
    const left = a.tokens[i];
    const right = b.tokens[j];
    if (left === undefined && right === undefined) return true;
    if (left === star) visit(i + 1, j);
    if (right === star) visit(i, j + 1);
    if (left === star && right !== undefined && right !== star) visit(i, j + 1);
    if (right === star && left !== undefined && left !== star) visit(i + 1, j);
    if (left !== undefined && right !== undefined && charactersMeet(left, right)) visit(i + 1, j + 1);
  }
  return false;
}

function alike(a: string, b: string, test: "startsWith" | "endsWith"): boolean {
  return a[test](b) || b[test](a);
}

function accepts(token: Exclude<Token, typeof star>, character: string): boolean {
  if (typeof token === "string") return token === character;
  const code = character.codePointAt(0) ?? 0;
  return token.ranges.some(([from, to]) => from <= code && code <= to) !== token.negated;
}

function charactersMeet(a: Token, b: Token): boolean {
  if (a === star || b === star) return false;
  if (typeof a === "string") return accepts(b, a);
  if (typeof b === "string") return accepts(a, b);
  return edges(a, b).some((code) => code > 0 && accepts(a, codeText(code)) && accepts(b, codeText(code)));
}

/** If two unions of ranges intersect, they do so at or next to the end of some range. */
function edges(a: CharacterClass, b: CharacterClass): number[] {
  const ends = [...a.ranges, ...b.ranges].flatMap(([from, to]) => [from - 1, from, to, to + 1]);
  return [97, ...ends];
}

function codeText(code: number): string {
  return code > 0x10ffff ? "" : String.fromCodePoint(code);
}

function readClass(characters: readonly string[], start: number) {
  const negated = characters[start + 1] === "!" || characters[start + 1] === "^";
  const first = start + (negated ? 2 : 1);
  const ranges: [number, number][] = [];
  for (let at = first; at < characters.length; at += 1) {
    const character = characters[at] as string;
    if (character === "]" && at > first) return { class: { negated, ranges }, end: at };
    const from = character.codePointAt(0) ?? 0;
    const last = characters[at + 2];
    if (characters[at + 1] === "-" && last !== undefined && last !== "]") {
      ranges.push([from, last.codePointAt(0) ?? 0]);
      at += 2;
    } else ranges.push([from, from]);
  }
  return undefined;
}
