interface Work {
  readonly changed: readonly string[];
  /** Where the work lies: what begins with one of these is a path inside it. */
  readonly folders: readonly string[];
}

/** The files that an agent says it changed and that its work does not have: words alone, whatever else is proven. */
export function unprovenClaims(claimed: readonly string[], { changed, folders }: Work): readonly string[] {
  const isChanged = (path: string) => changed.some((one) => one === path || one.startsWith(`${path}/`));
  const unproven = claimed.filter((claim) => {
    const path = pathOf(claim, folders);
    // A session's files, such as the worklog, are part of no work.
    return path !== "" && !isChanged(path) && !/^\.agents-work(?:\/|$)/.test(path);
  });
  return [...new Set(unproven)];
}

function pathOf(claim: string, folders: readonly string[]): string {
  const folder = folders.find((one) => claim.startsWith(`${one}/`)) ?? "";
  const parts = claim.slice(folder.length).split("/");
  return parts.filter((part) => part !== "" && part !== ".").join("/");
}
