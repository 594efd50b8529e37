import type { ToolCall } from "../../contract/tool-call.ts";
import type { Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";

/** As the system says it, and as Node's and Java's errors do. */
const signs = /read-only file ?system|\bEROFS\b|ReadOnlyFileSystemException/i;

const ofGit = /\.git\/[^'"\n]*['"]?: read-only file ?system/i;

/** After a command that failed to write: why, and what its agent can do. */
export function tellReadOnly(judged: Judged, caller: Caller, { outcome }: ToolCall): Judged {
  const { answer } = judged;
  const text = outcome?.text ?? "";
  if (!answer.allow || answer.context !== undefined || !signs.test(text)) return judged;
  const context = `Lockstep: what this command may not write was read-only: ${ofGit.test(text) ? wayAroundGit : wayToWrite(caller)}`;
  return { ...judged, answer: { ...answer, context } };
}

const wayAroundGit =
  "git's own folder is open to plain commands such as `git add` and `git commit` alone. Leave merges, picks and pulls to a person; take a file of another commit with `git restore --source=REF -- PATH`.";

function wayToWrite(caller: Caller): string {
  const way =
    caller.kind === "task"
      ? `it ran inside the lock of ${caller.holder.id}; ask for more with \`lockstep widen ${caller.holder.id} PATH --why "…"\``
      : "no task is claimed; say which one you work on with `lockstep claim TASK`";
  return `${way}. What git ignores and temporary files can be written.`;
}
