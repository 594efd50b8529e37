// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const controlCharacters = /[\u0000-\u001f\u007f]/;

/** A field that the document itself carries. Null, and what only a prototype has, count as absent. */
export function field(of: unknown, name: string): unknown {
  if (!isObject(of) || !Object.hasOwn(of, name)) return undefined;
  return of[name] ?? undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string that says something. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** A text that can stand in a line, a file name or a command. */
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
