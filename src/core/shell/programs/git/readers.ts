import type { Program } from "../../types.ts";
import { programOf } from "../row/run-row.ts";
import { named } from "../row/words.ts";

const indicators = "output-indicator-new output-indicator-old output-indicator-context";

/** The log and diff family: output goes to standard output unless `--output` is given. */
const printsDiffs = programOf({
  values: "n,max-count S G skip since until after before author committer grep O",
  glued: "U,unified M C B l stat color word-diff pretty format",
  flags: `p,patch s,no-patch ${indicators}`,
  files: "output",
  action: "write",
});

/** Other printing commands. Many of them accept the options above, including `--output`. */
export const printing = programOf({ flags: indicators, files: "output", action: "write" });

export const gitReaders = new Map<string, Program>([
  ...named(
    "log show diff diff-tree diff-files diff-index diff-pairs range-diff whatchanged reflog-walk rev-list",
    printsDiffs,
  ),
  ...named(
    "status blame annotate shortlog cat-file ls-files ls-tree rev-parse describe name-rev merge-base merge-tree show-ref for-each-ref var version help check-ignore check-attr check-ref-format check-mailmap count-objects fsck cherry show-branch verify-commit verify-tag verify-pack get-tar-commit-id patch-id stripspace column fmt-merge-msg request-pull show-index archimport last-modified",
    printing,
  ),
]);
