export type Setting = readonly [key: string, value: string];

/** Settings that make git see the exact files on disk, whatever the user has configured. */
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
 * A filter runs in the checkout with the user's rights, and many filters (`python3 -m …`, `./scripts/…`) run code from
 * there. Only git-lfs is known not to.
 */
export function isRefused(filter: string): boolean {
  return filter !== "filter.lfs";
}

/** `off` leaves files unfiltered; `failing` fails for a file that needs the filter, and names it. */
export function replaceFilter(name: string, as: "off" | "failing"): readonly Setting[] {
  const program = as === "off" ? "" : "false";
  return [
    [`${name}.clean`, program],
    [`${name}.smudge`, program],
    [`${name}.process`, ""],
    [`${name}.required`, String(as === "failing")],
  ];
}

/** As variables instead of `-c` options, because a key may contain `=`. */
export function asEnvironment(list: readonly Setting[]): Record<string, string> {
  const pairs = list.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(list.length), ...Object.fromEntries(pairs) };
}
