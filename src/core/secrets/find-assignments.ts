import { looksLikeSecretValue, type NameKind, type ValueContext } from "./looks-like-secret-value.ts";
import type { SecretFinding } from "./secret-finding.ts";

const PASSWORD = "pass(?:word|wd|phrase|code)|pwd|(?:[_-]|db|smtp|user|root|admin)pass";
const AUTH = String.raw`auth(?![\w.-])`;
/** Prefixes of tokens that are not credentials. */
const HARMLESS_TOKEN = "(?:page|sync|design|fencing|continuation|cancellation)[_ -]?";
const KEY_OWNER =
  "api|access|private|account|encryption|signing|master|session|shared|storage|ssh|hmac|jwt|service|app|license";
const KEY = `secret(?:[ _-]?key)?|(?<!${HARMLESS_TOKEN})token|credential|authorization|(?:${KEY_OWNER})[ _-]?key`;
/** `name = value`, `"name": "value"`, `name => value`; a space is enough after a long command-line flag. */
const OPERATOR = String.raw`\\?["'\x60]?\]?[ \t]{0,32}(?:=>|:=|[:=](?![=:]))[ \t]{0,32}|(?<=--[\w-]{1,60})[ \t]{1,4}`;
const HEAD = new RegExp(`(?:(${PASSWORD})|(${AUTH})|${KEY})([\\w.-]{0,40})(${OPERATOR})`, "gi");

/** Last words of names that describe a secret instead of holding it, such as `token_count` or `secretName`. */
const ABOUT_THE_SECRET = new Set(
  `s name names ref file path dir type kind count limit budget url uri endpoint host field label policy length
  len size expiry expires at in ttl age method mode scheme provider env var header prefix suffix format id ids
  hash digest checksum fingerprint sha sha1 sha256 sha512 alg algorithm version status state usage used
  rotation encryption encoding hashing ize ized izer index enabled required source store manager scanner scanning`.split(
    /\s+/,
  ),
);
const LAST_WORD = /(?:[A-Z]?[a-z0-9]{1,40}|[A-Z0-9]{1,40})$/;

const LONGEST_QUOTED = 1024;
const QUOTE = /\\?(["'`])/y;
/** Only the first 200 characters are checked, to stay fast on long chains of names and colons. */
const BARE_VALUE = /(?:[^\s"'`<>(){}[\],;&\\]|&(?![\w.-]{1,40}=)){1,200}/y;
/** In an env file or a shell the value extends to the next space, and so does a password at the end of its line. */
const ENV_VALUE = /[^\s"'`<>\\]{1,200}/y;
const LINE_VALUE = /[^\s"'`<>\\]{1,200}(?=[ \t]{0,32}(?:[\r\n]|$))/y;
/** A bare value ends at a bracket or a comma, but a found secret is masked up to the next space. */
const BARE_REST = /[^\s"'`<>&\\]{0,8192}/y;

/** Values assigned to names such as `password`, `OPENAI_API_KEY` or `dbPassword`, if they look real. */
export function findAssignments(text: string): SecretFinding[] {
  const findings: SecretFinding[] = [];
  HEAD.lastIndex = 0;
  for (let head = HEAD.exec(text); head !== null; head = HEAD.exec(text)) {
    const suffix = head[3] ?? "";
    if (ABOUT_THE_SECRET.has(LAST_WORD.exec(suffix)?.[0].toLowerCase() ?? "")) continue;
    const kind: NameKind = head[1] ? "password" : head[2] ? "auth" : "key";
    const tight = head[4] === "=";
    const env = tight && !/[a-z]/.test(head[0]);
    const shapes = env ? [ENV_VALUE] : kind === "password" ? [LINE_VALUE, BARE_VALUE] : [BARE_VALUE];
    const range = secretAt(text, HEAD.lastIndex, { kind, literal: tight }, shapes);
    if (range === undefined) continue;
    findings.push({ rule: "assigned-secret", ...range });
    HEAD.lastIndex = range.end;
  }
  return findings;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function secretAt(text: string, at: number, context: ValueContext, shapes: RegExp[]): Range | undefined {
  const quoted = quotedAt(text, at);
  if (quoted !== undefined) {
    const value = text.slice(quoted.start, quoted.end);
    return looksLikeSecretValue(value, { ...context, literal: true }) ? quoted : undefined;
  }
  // After a quote without a closing quote nearby, the value is read as if it were bare.
  const start = endOf(QUOTE, text, at) ?? at;
  const literal = context.literal || start > at;
  for (const shape of shapes) {
    const end = endOf(shape, text, start);
    // A value followed by a bracket is a call or an index, not a literal.
    if (end === undefined || text[end] === "(" || text[end] === "[") continue;
    if (!looksLikeSecretValue(text.slice(start, end), { ...context, literal })) continue;
    return { start, end: endOf(BARE_REST, text, end) ?? end };
  }
  return undefined;
}

function quotedAt(text: string, at: number): Range | undefined {
  const start = endOf(QUOTE, text, at);
  if (start === undefined) return undefined;
  const near = text.slice(start, start + LONGEST_QUOTED);
  const length = near.indexOf(text[start - 1] ?? "");
  if (length < 1 || near.lastIndexOf("\n", length) >= 0) return undefined;
  return { start, end: start + length - (near[length - 1] === "\\" ? 1 : 0) };
}

function endOf(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}
