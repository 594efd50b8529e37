const majorMax = 24;

/** The hook client's optimizations use undocumented behaviour, so they apply only to Node versions that were tested. */
export function isTriedNode(): boolean {
  return Number.parseInt(process.versions.node, 10) <= majorMax;
}
