export type Setting = readonly [key: string, value: string];

/** What git must find on the disk as it is, whatever the person's configuration leaves out. */
export const exactSettings: readonly Setting[] = [
  ["core.fileMode", "true"],
  ["core.symlinks", "true"],
  ["core.trustctime", "true"],
  ["core.checkStat", "default"],
  ["core.ignoreStat", "false"],
  ["core.untrackedCache", "false"],
  ["core.splitIndex", "false"],
  ["core.sparseCheckout", "false"],
  ["core.safecrlf", "false"],
  ["submodule.recurse", "false"],
  ["add.ignoreErrors", "false"],
];

/**
 * A filter runs in the checkout with the person's rights, and many a one (`python3 -m …`, `./scripts/…`) then runs
 * code from there. Only git-lfs is known not to.
 */
export function isRefused(filter: string): boolean {
  return filter !== "filter.lfs";
}

/** `off` takes files as they are; `failing` fails for the file that needs the filter, by name. */
export function replaceFilter(name: string, as: "off" | "failing"): readonly Setting[] {
  const program = as === "off" ? "" : "false";
  return [
    [`${name}.clean`, program],
    [`${name}.smudge`, program],
    [`${name}.process`, ""],
    [`${name}.required`, String(as === "failing")],
  ];
}

/** As variables, because a key may hold the `=` that would end it in a word. */
export function asEnvironment(list: readonly Setting[]): Record<string, string> {
  const pairs = list.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(list.length), ...Object.fromEntries(pairs) };
}
