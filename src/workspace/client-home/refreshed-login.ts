import { field, isObject } from "../../core/values/fields.ts";

const tokenLengthMax = 16_384;

/**
 * The user's login with the values that an agent's client has refreshed; undefined if nothing changes. Only the named
 * values are copied, and only if both documents have them with the same type: no key is added, no address changed.
 */
export function refreshedLogin(
  person: string,
  agent: string,
  values: readonly (readonly string[])[],
): string | undefined {
  const [mine, theirs] = [parsed(person), parsed(agent)];
  let isChanged = false;
  const take = (to: unknown, from: unknown, [key = "", ...rest]: readonly string[]): void => {
    if (!isObject(to) || !isObject(from)) return;
    for (const name of key === "*" ? Object.keys(to) : [key]) {
      const [old, now] = [field(to, name), field(from, name)];
      if (rest.length > 0) take(old, now, rest);
      else if (isRefresh(old, now)) {
        (to as Record<string, unknown>)[name] = now;
        isChanged = true;
      }
    }
  };
  for (const path of values) take(mine, theirs, path);
  return isChanged ? `${JSON.stringify(mine, undefined, indentOf(person))}${endOf(person)}` : undefined;
}

/** Only tokens and times, and no characters that could break out of an HTTP header. */
function isRefresh(old: unknown, now: unknown): boolean {
  if (typeof old !== typeof now || old === now) return false;
  if (typeof now === "number") return Number.isFinite(now);
  return typeof now === "string" && now.length <= tokenLengthMax && /^[\x21-\x7e]+$/.test(now);
}

export function isJson(text: string): boolean {
  return parsed(text) !== undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function indentOf(text: string): string {
  return /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? "";
}

function endOf(text: string): string {
  return text.endsWith("\n") ? "\n" : "";
}
