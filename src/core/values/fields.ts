// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const controlCharacters = /[\u0000-\u001f\u007f]/;

/** A document's own field. Null and inherited properties count as absent. */
export function field(of: unknown, name: string): unknown {
  if (!isObject(of) || !Object.hasOwn(of, name)) return undefined;
  return of[name] ?? undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string that is not blank. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Non-blank text without control characters, safe in a line, a file name or a command. */
export function isLine(value: unknown): value is string {
  return isText(value) && !controlCharacters.test(value);
}

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

export function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

export function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
