import { copyName, sessionPath } from "../../core/names/session-paths.ts";
import { metaId, taskKey } from "../../core/names/task-name.ts";
import { judgePlanEdit, judgeStatusEdit } from "../../core/session/requests.ts";
import { readJson } from "../../core/text/read-json.ts";
import { type GuardViolation, recordViolation } from "../../engine/attempts/record-violation.ts";
import type { ViewEdit } from "../../run/attempt/run-context.ts";
import { readConfigDocument } from "../../workspace/config/config-document.ts";
import type { SessionContext } from "./session-context.ts";

/** What of a session is needed for it, also on a machine that does not conduct the session. */
type Edited = Pick<SessionContext, "name" | "context" | "move" | "say">;

interface EditedView {
  readonly role: string;
  /** Null if the agent works for the session as a whole. */
  readonly task: string | null;
  readonly edit: ViewEdit;
}

/**
 * Handles an agent's edit of tasks.yaml or status.json: permitted additions are applied, the rest is refused,
 * recorded and reported (S4-080, S4-137).
 */
export async function judgeViewEdit(context: Edited, { role, task, edit }: EditedView): Promise<void> {
  const { file, before, after } = edit;
  if (file === "tasks.yaml") {
    const plans = { before: yamlOf(before), after: yamlOf(after) };
    const { refused } = judgePlanEdit({ ...plans, role, task: task ?? "meta" });
    return refuse(context, { role, task, edit }, refused);
  }
  const { note, refused } = judgeStatusEdit({ before: readJson(before), after: readJson(after), role });
  await refuse(context, { role, task, edit }, refused);
  if (note.assumptions.length + note.knownIssues.length > 0) await context.move({ type: "note", ...note });
}

function yamlOf(text: string): unknown {
  const document = readConfigDocument(copyName, text);
  return "value" in document ? document.value : undefined;
}

async function refuse(
  { name, context, say }: Edited,
  { role, task, edit: { file, after } }: EditedView,
  reasons: readonly string[],
): Promise<void> {
  for (const reason of reasons) {
    say(`${role} edited ${file}: refused: ${reason}`);
    const violation: GuardViolation = {
      ...{ kind: "refused", task: taskKey(name, task ?? metaId), epoch: null, agent: role, tool: "write" },
      ...{ code: "R-PW-001", target: sessionPath(name, file), reason, bytes: after.length },
    };
    await recordViolation(context.engine, violation, context.call);
  }
}
