/** The person's environment variables of these names. */
export function passedOn(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? ""]])),
  );
}
