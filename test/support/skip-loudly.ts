/** Whether tests are left out because something is missing. Where CI runs, it has to be there if it is wanted. */
export function skipLoudly(tests: string, why: string | undefined, { isWanted = true } = {}): boolean {
  if (why === undefined) return false;
  const told = `${tests} ARE SKIPPED: ${why.trim()}`;
  if (process.env.CI === "true" && isWanted)
    throw new Error(`${told}; .ci/install-packages installs what they need`);
  console.warn(`\n!!! ${told}\n`);
  return true;
}
