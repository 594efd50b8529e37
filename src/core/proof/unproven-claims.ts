interface Work {
  readonly changed: readonly string[];
  /** The folders of the checkout, as prefixes of absolute paths. */
  readonly folders: readonly string[];
}

/** The files that an agent claims to have changed although its work does not contain them. */
export function unprovenClaims(claimed: readonly string[], { changed, folders }: Work): readonly string[] {
  const isChanged = (path: string) => changed.some((one) => one === path || one.startsWith(`${path}/`));
  const unproven = claimed.filter((claim) => {
    const path = pathOf(claim, folders);
    // A session's files, such as the worklog, are not part of the work.
    return path !== "" && !isChanged(path) && !/^\.agents-work(?:\/|$)/.test(path);
  });
  return [...new Set(unproven)];
}

function pathOf(claim: string, folders: readonly string[]): string {
  const folder = folders.find((one) => claim.startsWith(`${one}/`)) ?? "";
  const parts = claim.slice(folder.length).split("/");
  return parts.filter((part) => part !== "" && part !== ".").join("/");
}

const deeds =
  "deployed|published|released|rolled out|uploaded|pushed|provisioned|migrated|rotated|purchased|emailed|e-mailed|notified";
const adverbs = "(?:(?:also|already|now|then|successfully|manually) )*";
/** A deed is in the past tense: `deployed to production`, `I have published it`; not `the published date`, `is deployed by CI`. */
const deed = new RegExp(
  `(?:^|[,:;(] ?|\\b(?:and|i|we|have|has|had|been|was|were) )${adverbs}(?:${deeds})\\b`,
  "i",
);
const deniedOrPlanned =
  /\b(?:not|never|nothing|no|without|cannot|can|could|may|might|must|should|would|will|if|when|once|until|unless|before|after|todo)\b|n't\b/i;
const deedsMax = 20;
const deedLengthMax = 200;

/**
 * What an agent claims to have done outside its tree. Lockstep has no proof of it, and an agent inside the sandbox could
 * not have done most of it.
 */
export function unprovenDeeds(said: readonly string[]): readonly string[] {
  const sentences = said.flatMap((text) => text.replace(/`[^`]*`/g, "`…`").split(/(?<=[.!?])\s+|\n+/));
  const claimed = sentences
    .map((one) => one.replace(/\s+/g, " ").trim())
    .filter(isDeed)
    .map((one) => (one.length > deedLengthMax ? `${one.slice(0, deedLengthMax - 1)}…` : one));
  return [...new Set(claimed)].slice(0, deedsMax);
}

/** Words before the deed may deny or plan it; words after it do not matter. */
function isDeed(sentence: string): boolean {
  const found = deed.exec(sentence);
  return found !== null && !deniedOrPlanned.test(sentence.slice(0, found.index + found[0].length));
}
