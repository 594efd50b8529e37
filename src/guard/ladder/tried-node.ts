const majorMax = 24;

/** What makes the hook client quick is promised by no documentation, so it is used only where it was tried. */
export function isTriedNode(): boolean {
  return Number.parseInt(process.versions.node, 10) <= majorMax;
}
