const lengthMax = 500;
/** One that means itself, as it is or after a backslash. */
const plainCharacter = /^(?:[^\\[\].^$|()*+?{}]|\\[\\/.^$|()*+?{}[\]])$/su;
/** A repeated group may match one text in this many ways. */
const waysMax = 64;

export type PatternResult = { readonly pattern: RegExp } | { readonly error: string };

/**
 * A regular expression, if it does not go over one text in more and more ways: a repeated group must hold nothing
 * that may be longer or shorter, unless a character at its edge keeps its turns apart, and its alternatives must
 * begin differently. What is left takes time that grows with a power of the line's length, and is stopped when it
 * takes too long.
 */
export function safePattern(source: string): PatternResult {
  if (source.length > lengthMax) return { error: `it is longer than ${lengthMax} characters` };
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, "u");
  } catch (error) {
    const [, cause = "it cannot be read"] = /^.*\/u?: (.*)$/s.exec((error as Error).message) ?? [];
    return { error: cause.charAt(0).toLowerCase() + cause.slice(1) };
  }
  const error = whyUnsafe(source);
  return error === undefined ? { pattern } : { error };
}

interface Group {
  /** Its pieces in order, as long as there are no groups and alternatives among them. */
  pieces: Piece[] | undefined;
  /** In how many ways it may match one text, at the most. */
  ways: number;
  /** What each alternative begins with; nothing where that is no plain character. */
  readonly beginnings: (string | undefined)[];
  /** The next piece is the first of an alternative. */
  atStart: boolean;
}

interface Piece {
  readonly text: string;
  readonly varies: boolean;
}

/** Reads a pattern that is known to compile: pieces, groups, and how often each is repeated. */
function whyUnsafe(source: string): string | undefined {
  const piece =
    /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|./suy;
  const open: Group[] = [newGroup()];
  for (let at = 0; at < source.length; ) {
    piece.lastIndex = at;
    const [text = ""] = piece.exec(source) ?? [];
    at += text.length;
    const group = open.at(-1) as Group;
    if (text === "|") {
      group.pieces = undefined;
      group.beginnings.push(undefined);
      group.atStart = true;
      continue;
    }
    if (text.startsWith("(")) {
      group.pieces = undefined;
      group.atStart = false;
      open.push(newGroup());
      continue;
    }
    const closed = text === ")" ? (open.pop() as Group) : undefined;
    if (closed === undefined && group.atStart) {
      group.beginnings[group.beginnings.length - 1] = plainCharacter.test(text) ? text : undefined;
      group.atStart = false;
    }
    const repeat = repeatAt(source, at);
    at += repeat.length;
    if (closed === undefined) group.pieces?.push({ text, varies: repeat.most !== repeat.least });
    const ways = waysOf(closed, repeat);
    if (ways === undefined)
      return "a repeated group can match one text in many ways, which may take for ever: let it hold no other repeat";
    (open.at(-1) as Group).ways *= ways;
  }
  return undefined;
}

function newGroup(): Group {
  return { pieces: [], ways: 1, beginnings: [undefined], atStart: true };
}

interface Repeat {
  readonly length: number;
  readonly least: number;
  readonly most: number;
}

function repeatAt(source: string, at: number): Repeat {
  const repeat = /([*+?])\??|\{(\d+)(,?)(\d*)\}\??/y;
  repeat.lastIndex = at;
  const found = repeat.exec(source);
  if (found === null) return { length: 0, least: 1, most: 1 };
  const [{ length }, sign, least, comma, most] = found;
  if (sign !== undefined) return { length, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity };
  return {
    length,
    least: Number(least),
    most: comma === "" ? Number(least) : most === "" ? Infinity : Number(most),
  };
}

/** Nothing where a repeated group has too many. */
function waysOf(group: Group | undefined, { least, most }: Repeat): number | undefined {
  const inside = group === undefined || isDelimited(group) ? 1 : group.ways * waysToChoose(group.beginnings);
  const repeated = inside === 1 ? 1 : inside ** Math.max(most, 1);
  if (group !== undefined && most > 1 && repeated > waysMax) return undefined;
  return repeated * (most - least + 1);
}

/** `(?:-[a-z]+)*`: one piece varies, and the character at which each turn begins or ends matches no other piece. */
function isDelimited({ pieces = [] }: Group): boolean {
  if (pieces.filter(({ varies }) => varies).length !== 1) return false;
  return [0, pieces.length - 1].some((edge) => {
    const { text, varies } = pieces[edge] as Piece;
    if (varies || !plainCharacter.test(text)) return false;
    const character = text.replace("\\", "");
    return pieces.every((one, at) => at === edge || !new RegExp(`^(?:${one.text})$`, "u").test(character));
  });
}

function waysToChoose(beginnings: readonly (string | undefined)[]): number {
  const differ = !beginnings.includes(undefined) && new Set(beginnings).size === beginnings.length;
  return differ ? 1 : beginnings.length;
}
