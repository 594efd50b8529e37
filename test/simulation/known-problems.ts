/**
 * EXCLUDED until they are mended in src/engine: a seed that ends with one of these counts as met, not as broken.
 * Take out the entry with the fix; the list is meant to be empty.
 */
const knownProblems: readonly { readonly finding: string; readonly pattern: RegExp }[] = [
  {
    finding: "a dependent is handed on to a task that is just being resolved",
    pattern: /waits for the failed/,
  },
  {
    finding: "a question about more scope is stored for an attempt that is over",
    pattern: /^INV-2: widen of/,
  },
];

export function findingOf(problem: string): string | undefined {
  return knownProblems.find(({ pattern }) => pattern.test(problem))?.finding;
}
