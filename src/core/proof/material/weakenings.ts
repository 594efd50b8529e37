import { kindOf } from "./kinds.ts";
import { sectionChanges } from "./manifest-sections.ts";
import { packageChanges, redirectedRunners } from "./package-manifest.ts";
import { testItemsIn } from "./test-items.ts";
import { assertions, count, skips, withoutComments } from "./test-text.ts";

/** The description of a change to what the project's tests check. */
export interface Weakened {
  readonly path: string;
  readonly what: string;
}

export interface ChangedText {
  readonly path: string;
  /** Undefined if the file did not exist or is not text. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Set if the presence of the texts does not show it: links, binary and huge files. */
  readonly status?: "added" | "modified" | "deleted";
}

export function statusOf({ before, after, status }: ChangedText): "added" | "modified" | "deleted" {
  return status ?? (before === undefined ? "added" : after === undefined ? "deleted" : "modified");
}

/** Descriptions, for people, of everything that a change does to test material. */
export function describeChanges(
  changed: readonly ChangedText[],
  isRestored: (path: string) => boolean,
): readonly Weakened[] {
  return changed.flatMap((change): readonly Weakened[] => {
    const { path } = change;
    const described = [...describe(change)];
    if (!isRestored(path)) return kindOf(path) === "ci" ? described : [];
    return described.length > 0 ? described : [{ path, what: words[statusOf(change)] }];
  });
}

function* describe(change: ChangedText): Iterable<Weakened> {
  const { path, before, after } = change;
  const kind = kindOf(path);
  const status = statusOf(change);
  if (kind === "manifest") {
    for (const what of manifestChanges(change)) yield { path, what };
    return;
  }
  if (kind === "ci" && status !== "added") yield { path, what: `CI configuration ${words[status]}` };
  if (kind === "config" || kind === "helper" || (kind === "ci" && status === "added")) {
    const name = kind === "helper" ? "test helper" : kind === "ci" ? "CI configuration" : "configuration";
    if (kind !== "ci") yield { path, what: `${name} ${words[status]}` };
  }
  if ((kind === "test" || kind === "data") && status === "deleted")
    yield { path, what: kind === "test" ? "test file deleted" : "test data deleted" };
  if (kind === "data" && status === "modified") yield { path, what: "test data changed" };
  if (kind !== "test" && kind !== "helper" && kind !== undefined) return;
  const skipped = count(skips, withoutComments(path, after)) - count(skips, withoutComments(path, before));
  if (skipped > 0 && (kind !== undefined || testItemsIn(path, after).length > 0))
    yield { path, what: `${skipped} test${skipped === 1 ? "" : "s"} skipped, or run alone` };
  if (kind === undefined || status !== "modified") return;
  const lost =
    count(assertions, withoutComments(path, before)) - count(assertions, withoutComments(path, after));
  if (lost > 0) yield { path, what: `${lost} assertion${lost === 1 ? "" : "s"} fewer` };
  else if (skipped <= 0 && kind === "test") yield { path, what: "test file changed" };
}

const words = { added: "added", modified: "changed", deleted: "deleted" } as const;

function manifestChanges({ path, before, after }: ChangedText): readonly string[] {
  if (before === undefined && after === undefined) return [];
  if (/\.jsonc?$/.test(path)) {
    if (after === undefined) return ["manifest deleted"];
    return [...packageChanges(before ?? "{}", after), ...redirectedRunners(before, after)];
  }
  return after === undefined ? ["manifest deleted"] : sectionChanges(path, before ?? "", after);
}

/** Tests inside source files that were removed or changed. `runsExamples`: whether a check runs those in documentation. */
export function lostItems(
  changed: readonly ChangedText[],
  runsExamples: (path: string) => boolean,
): readonly Weakened[] {
  const sources = changed.filter(({ path }) => kindOf(path) === undefined);
  const left = new Map<string, number>();
  for (const { path, after } of sources)
    for (const item of testItemsIn(path, after)) left.set(item, (left.get(item) ?? 0) + 1);
  return sources.flatMap(({ path, before, after }): Weakened[] => {
    const lost = testItemsIn(path, before).filter((item) => {
      if (item.startsWith("example") && !runsExamples(path)) return false;
      const many = left.get(item) ?? 0;
      left.set(item, many - 1);
      return many <= 0;
    });
    const added = testItemsIn(path, after).filter((item) =>
      /^tests: (?:#\[.*\] )?macro_rules!|\bas assert/.test(item),
    );
    const known = new Set(testItemsIn(path, before));
    const shadowing = added.some((item) => !known.has(item));
    return [
      ...(lost.length > 0
        ? [
            {
              path,
              what: `${lost.length} test${lost.length === 1 ? "" : "s"} inside the source changed or removed`,
            },
          ]
        : []),
      ...(shadowing ? [{ path, what: "an assertion is redefined inside the source" }] : []),
    ];
  });
}
