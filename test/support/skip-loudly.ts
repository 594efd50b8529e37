/** Whether tests are skipped because something is missing. On CI a required part must not be missing. */
export function skipLoudly(tests: string, why: string | undefined, { isWanted = true } = {}): boolean {
  if (why === undefined) return false;
  const message = `${tests} ARE SKIPPED: ${why.trim()}`;
  if (process.env.CI === "true" && isWanted)
    throw new Error(`${message}; .ci/install-packages installs what they need`);
  console.warn(`\n!!! ${message}\n`);
  return true;
}
