import { type Fault, joinFaults } from "../points/fault.ts";
import { field, isLine, isObject, isText } from "../values/fields.ts";

/** The required type of a field, and its description for messages. */
interface Demand<T> {
  readonly is: (value: unknown) => value is T;
  readonly wanted: string;
}

type Demands = Readonly<Record<string, Demand<unknown>>>;
type Fields<D extends Demands> = { readonly [K in keyof D]: D[K] extends Demand<infer T> ? T : never };

export const textBytesMax = 64 * 1024;
export const listLengthMax = 10_000;

/** Reads the demanded fields. The fault lists all invalid ones, in order. */
export function readFields<D extends Demands>(of: unknown, prefix: string, demands: D): Fields<D> | Fault {
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [name, { is, wanted }] of Object.entries(demands)) {
    const value = field(of, name);
    if (!is(value)) {
      const state = value === undefined ? "missing" : "malformed";
      faults.push({ error: `\`${prefix}${name}\` is ${state}: give ${wanted}`, field: prefix + name });
    }
    values[name] = value;
  }
  return joinFaults(faults) ?? (values as Fields<D>);
}

export function isTooLong(text: string): boolean {
  return text.length > textBytesMax || new TextEncoder().encode(text).length > textBytesMax;
}

const isBoundedLine = (value: unknown): value is string => isLine(value) && !isTooLong(value);
const isBoundedText = (value: unknown): value is string => isText(value) && !isTooLong(value);

function listOf<T>(is: (value: unknown) => value is T): (value: unknown) => value is readonly T[] {
  return (value): value is readonly T[] =>
    Array.isArray(value) && value.length <= listLengthMax && value.every((item) => is(item));
}

const size = `of at most ${textBytesMax} bytes`;

export const object: Demand<object> = { is: isObject, wanted: "an object" };
export const line: Demand<string> = { is: isBoundedLine, wanted: `a one-line text ${size}` };
export const text: Demand<string> = { is: isBoundedText, wanted: `a text ${size}` };

export const lines: Demand<readonly string[]> = {
  is: listOf(isBoundedLine),
  wanted: `a list of at most ${listLengthMax} one-line texts`,
};

export const texts: Demand<readonly string[]> = {
  is: listOf(isBoundedText),
  wanted: `a list of at most ${listLengthMax} texts ${size} each, which may be empty`,
};

/** The output of a program, of any length: the reader shortens it. */
export const log: Demand<string> = {
  is: (value): value is string => typeof value === "string",
  wanted: "a text",
};

export const count: Demand<number> = {
  is: (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0,
  wanted: "a whole number from 0 up",
};

export function oneOf<const Word extends string>(words: readonly Word[]): Demand<Word> {
  const known: ReadonlySet<unknown> = new Set(words);
  return {
    is: (value): value is Word => known.has(value),
    wanted: `one of ${words.map((word) => `\`${word}\``).join(", ")}`,
  };
}

export function optional<T>(demand: Demand<T>): Demand<T | undefined> {
  return {
    is: (value): value is T | undefined => value === undefined || demand.is(value),
    wanted: `${demand.wanted}, or leave it out`,
  };
}
