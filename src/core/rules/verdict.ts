import type { RuleCode } from "./catalog.ts";

export type Details = Readonly<Record<string, unknown>>;

/** The answer of every rule, hook, gate and guard. */
export type Verdict = Allow | Deny;

export interface Allow {
  readonly allow: true;
  readonly code: "OK";
  readonly reason: string;
  readonly details?: Details;
}

/** An allow with details of a known type. */
export interface AllowWith<Of> extends Allow {
  readonly details: Of & Details;
}

export interface Deny {
  readonly allow: false;
  readonly code: RuleCode;
  /** One line. */
  readonly reason: string;
  readonly details: Details;
}

export function allow(): Allow;
export function allow<Of extends object>(details: Of): AllowWith<Of>;
export function allow(details?: Details): Allow {
  const verdict = { allow: true, code: "OK", reason: "Validation passed" } as const;
  return details === undefined ? verdict : { ...verdict, details };
}

export function deny(code: RuleCode, reason: string, details: Details = {}): Deny {
  return { allow: false, code, reason: oneLine(reason), details };
}

const reasonLengthMax = 1200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a reason must not carry terminal commands
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

function oneLine(text: string): string {
  const line = text.replace(unprintable, " ").trim();
  return line.length <= reasonLengthMax ? line : `${line.slice(0, reasonLengthMax - 1)}…`;
}
