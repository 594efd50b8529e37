import { findSecrets, type SecretFinding } from "./find-secrets.ts";

const depthMax = 500;

/**
 * A copy of a JSON value with every secret in its strings and keys masked. All strings are searched as one text, each
 * after its key, because a key such as `api_key` marks its value as a secret; one search is also faster.
 */
export async function maskDocument<Value>(value: Value): Promise<Value> {
  const starts: number[] = [];
  const lines: string[] = [];
  let length = 0;
  mapStrings(value, (text, isKey) => {
    const line = `${text}${isKey ? ": " : "\n"}`;
    starts.push(length);
    lines.push(line);
    length += line.length;
    return text;
  });
  const secrets = await findSecrets(lines.join(""));
  let index = 0;
  let next = 0;
  return mapStrings(value, (text) => {
    const start = starts[index] ?? 0;
    index += 1;
    while ((secrets[next]?.end ?? Infinity) <= start) next += 1;
    return maskFrom(secrets, next, text, start);
  }) as Value;
}

/** `secrets` are sorted positions in the joined text, in which this text begins at `start`. */
function maskFrom(secrets: readonly SecretFinding[], next: number, text: string, start: number): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = next; at < secrets.length; at += 1) {
    const secret = secrets[at] as SecretFinding;
    if (secret.start >= start + text.length) break;
    parts.push(text.slice(from, Math.max(secret.start - start, 0)), `[secret: ${secret.rule}]`);
    from = secret.end - start;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(from);
}

function mapStrings(value: unknown, change: (text: string, isKey: boolean) => string, depth = 0): unknown {
  if (depth > depthMax) throw new RangeError(`the document is nested deeper than ${depthMax} levels`);
  if (typeof value === "string") return change(value, false);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  // Object.fromEntries defines own properties, so a key `__proto__` stays a plain key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key, true), mapStrings(item, change, depth + 1)]),
  );
}
