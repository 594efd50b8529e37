/** The kind of name: a password may be short and simple, a value of "auth" must be clearly random. */
export type NameKind = "password" | "key" | "auth";

export interface ValueContext {
  readonly kind: NameKind;
  /** The value is quoted or directly after "=", so it is not a word of a sentence. */
  readonly literal: boolean;
}

const SHORTEST: Record<NameKind, number> = { password: 6, key: 8, auth: 16 };

const REFERENCE =
  /^\$[A-Za-z_]\w{0,60}(?:$|[/:.,-])|\$[{(]|\{\{|#\{|^[{<[(]|^%[\w(]{1,60}[%)]|^[a-z_][\w.]{0,60}[([]|:\/\/|^(?:env|file|vault|ssm|op|arn|ref|secrets?):/i;
const PLACEHOLDER =
  /x{4}|\*{3}|\.{3}|…|redacted|masked|hidden|change[_-]?(?:me|it|this)|place[_-]?holder|example|your[_-]|dummy|replace[_-]?(?:me|with|this)|^(?:todo|tbd|fixme)\b/i;
const DIGEST = /^(?:sha\d{1,3}|md5)[-:=]/i;
/** Counts, sizes, durations, versions, dates and times. */
const QUANTITY =
  /^[~<>=^v+-]{0,2}\d[\d.,:_/+-]{0,40}(?:[kmg]i?b?|[smhdbx%]|ms|min|sec|px|th|st|nd|rd)?$|^v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?(?:[-+.][\w.+-]{1,40})?$|^\d{4}-\d\d-\d\dT[\d:.+-]{4,24}Z?$/i;
const FILE_NAME =
  /\.(?:[cm]?[jt]sx?|json|ya?ml|toml|txt|md|pem|key|crt|cer|pub|env|ini|conf|cfg|py|go|rs|rb|sh|sql|html|xml|lock|log|gpg|asc|p12|pfx|jks)$/i;
const PATH = /^(?:~|\.{0,2})\/[\w./@-]{0,512}$/;
/** Known names that contain digits; their digits are not a sign of randomness. */
const KNOWN_WORD =
  /v\d{1,2}|s3|ec2|o?auth[02]|sha-?\d{1,3}|base\d\d|b64|x509|utf-?8|k8s|i18n|md5|ed25519|[hrep]s\d{3}|aes-?\d{3}|http2|ipv[46]|argon2id?|pbkdf2|bcrypt\d{0,2}|2fa|mfa2?/gi;

/** Whether a value assigned to a secret's name looks like a real secret, not like a word, a type or code. */
export function looksLikeSecretValue(value: string, { kind, literal }: ValueContext): boolean {
  const shortest = kind === "key" && !literal ? 10 : SHORTEST[kind];
  if (value.length < shortest || /\s/.test(value) || isPlaceholder(value)) return false;
  if (kind === "password" && literal && /^\d+$/.test(value)) return true;
  if (DIGEST.test(value) || QUANTITY.test(value) || FILE_NAME.test(value)) return false;
  const rest = value.replace(KNOWN_WORD, "");
  if (!/[A-Za-z0-9]/.test(rest)) return false;
  const bare = kind === "password" ? value : rest;
  if (!/\d/.test(bare)) return literal && looksRandomWithoutDigits(bare, kind);
  if (!/[A-Za-z]/.test(bare)) return kind === "password" && literal && /[^\d.,:_/-]/.test(bare);
  if (kind === "password") return !PATH.test(value);
  const parts = bare.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  const words = parts.every(isWord) && !isUnlikeAnyName(bare);
  if (kind === "auth") return !words && !/^[0-9a-f]+$/.test(value);
  if (!literal && /^[0-9a-f]{7,12}$/.test(value)) return false;
  return !words || (literal && parts.length === 1);
}

/** A reference to a value stored elsewhere, a mask or an example. */
export function isPlaceholder(value: string): boolean {
  return REFERENCE.test(value) || PLACEHOLDER.test(value) || /^(.)\1*$/.test(value);
}

function looksRandomWithoutDigits(value: string, kind: NameKind): boolean {
  if (/^[a-z]+$/.test(value)) return value.length >= (kind === "password" ? 16 : 20);
  if (/^[A-Za-z]+$/.test(value)) return value.length >= 20 && changesCaseOften(value);
  const innerSymbol = /[A-Za-z][!@#$%^&*+~?|=]+[A-Za-z]/.test(value);
  return kind === "password" && innerSymbol && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

/** True for what names and paths do not contain: several rare symbols, base64 symbols, or random case. */
function isUnlikeAnyName(value: string): boolean {
  if (new Set(value.match(/[!#%*+=?^~$&|;,@]/g)).size >= 2) return true;
  return value.length >= 16 && (/[+=]/.test(value) || changesCaseOften(value));
}

/** Words and camelCase names have digits in one place only and rarely change case. */
function isWord(part: string): boolean {
  const runs = part.match(/\d+/g) ?? [];
  if (runs.length > 1 || (runs[0]?.length ?? 0) > 4) return false;
  if (part.length > 20 && !/[a-z][A-Z]/.test(part)) return false;
  return part.length < 12 || !changesCaseOften(part);
}

function changesCaseOften(value: string): boolean {
  return (value.match(/[a-z][A-Z]/g)?.length ?? 0) >= value.length / 5;
}
