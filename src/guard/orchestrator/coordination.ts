import { readEntry } from "../../core/paths/entry.ts";
import { foldPath } from "../../core/paths/fold.ts";
import { locate } from "../../core/paths/locate.ts";
import type { Place } from "../../core/paths/place.ts";
import { Scope } from "../../core/paths/scope.ts";
import { matchesSegment, segmentPattern } from "../../core/paths/segment-pattern.ts";

/** Files with these names count in every folder. */
const names = ["plan*.json", "dashboard.md", "project-db.json", "workflow*.yaml", "artifact-registry.json"];
/** Relative to the project's root; everything below is included. */
const paths = [".claude/CLAUDE.md", ".claude/agents", ".claude/context/runtime/runs", ".claude/context/runs"];

/**
 * Returns the test for files that an orchestrator may always read. Only the spelled path counts, with `..` resolved,
 * because a project's `.claude/agents` may be a link to a folder that several projects share.
 */
export function coordinationFiles(more: readonly string[], place: Place): (path: string) => boolean {
  const fold = (text: string) => (place.folds === true ? foldPath(text) : text);
  const patterns = [...names, ...more.filter((entry) => !entry.includes("/"))].map((name) =>
    segmentPattern(fold(name)),
  );
  // An invalid entry permits nothing.
  const entries = [...paths, ...more].flatMap((text) => {
    const read = readEntry(text, place);
    return "error" in read ? [] : [read.entry];
  });
  const scope = new Scope(entries, place);
  return (path) => {
    const located = locate(path, place);
    if (located.where === "invalid") return false;
    if (located.where === "inside" && scope.entryOf(located.path) !== undefined) return true;
    const name = fold(located.path.slice(located.path.lastIndexOf("/") + 1));
    return patterns.some((pattern) => matchesSegment(pattern, name));
  };
}
