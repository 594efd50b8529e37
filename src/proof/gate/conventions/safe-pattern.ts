const lengthMax = 500;
/** A character that matches itself, plain or escaped. */
const plainCharacter = /^(?:[^\\[\].^$|()*+?{}]|\\[\\/.^$|()*+?{}[\]])$/su;
/** The maximum number of ways in which a repeated group may match one text. */
const waysMax = 64;

export type PatternResult = { readonly pattern: RegExp } | { readonly error: string };

/**
 * Compiles a regular expression and refuses exponential backtracking: a repeated group must not contain a repeat, unless
 * a character at its edge delimits the iterations, and its alternatives must begin differently. The remaining patterns
 * take polynomial time and have a time limit.
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
  /** Its pieces in order; undefined if it contains groups or alternatives. */
  pieces: Piece[] | undefined;
  /** The maximum number of ways to match one text. */
  ways: number;
  /** The first character of each alternative; undefined if it is not a plain character. */
  readonly beginnings: (string | undefined)[];
  /** The next piece is the first of an alternative. */
  atStart: boolean;
}

interface Piece {
  readonly text: string;
  readonly varies: boolean;
}

/** Reads the pieces, groups and repeats of a pattern that compiles. */
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
      return "a repeated group can match one text in many ways, which may take exponential time: use no repeat inside a repeated group";
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

/** Undefined if a repeated group has too many. */
function waysOf(group: Group | undefined, { least, most }: Repeat): number | undefined {
  const inside = group === undefined || isDelimited(group) ? 1 : group.ways * waysToChoose(group.beginnings);
  const repeated = inside === 1 ? 1 : inside ** Math.max(most, 1);
  if (group !== undefined && most > 1 && repeated > waysMax) return undefined;
  return repeated * (most - least + 1);
}

/** `(?:-[a-z]+)*`: one piece varies, and the character at which each iteration begins or ends matches no other piece. */
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
