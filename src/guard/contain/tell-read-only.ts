import type { ToolCall } from "../../contract/tool-call.ts";
import type { Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";

/** Messages of the system, of Node and of Java. */
const signs = /read-only file ?system|\bEROFS\b|ReadOnlyFileSystemException/i;

const ofGit = /\.git\/[^'"\n]*['"]?: read-only file ?system/i;

/** Explains a failed write after a command, and what the agent can do. */
export function tellReadOnly(judged: Judged, caller: Caller, { outcome }: ToolCall): Judged {
  const { answer } = judged;
  const text = outcome?.text ?? "";
  if (!answer.allow || answer.context !== undefined || !signs.test(text)) return judged;
  const context = `Lockstep: this command ran with read-only access outside its scope: ${ofGit.test(text) ? wayAroundGit : wayToWrite(caller)}`;
  return { ...judged, answer: { ...answer, context } };
}

const wayAroundGit =
  "only plain commands such as `git add` and `git commit` may write git's own folder. Ask a person for merges, cherry-picks and pulls; restore a file from another commit with `git restore --source=REF -- PATH`.";

function wayToWrite(caller: Caller): string {
  const way =
    caller.kind === "task"
      ? `it may write only in the lock of ${caller.holder.id}; ask for more scope with \`lockstep widen ${caller.holder.id} PATH --why "…"\``
      : "no task is claimed; claim a task with `lockstep claim TASK`";
  return `${way}. Files that git ignores and temporary files are writable.`;
}
