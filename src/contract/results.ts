import * as z from "zod";
import { forbiddenScope, line, lockScope, text } from "./parts.ts";

/** PostExecution accepts a subagent's result in either of two forms. */

const check = z.looseObject({
  criterion: text,
  status: z.string().describe("a result with status `done` needs `pass`"),
  evidence: z.string().nullish().describe("the command or record that proves it"),
});

const assignment = z.looseObject({
  lock_scope: lockScope,
  forbidden_scope: forbiddenScope,
  acceptance_criteria: z
    .array(text)
    .nullish()
    .describe("each must appear in `acceptance_check`, word for word"),
  worklog_path: z
    .string()
    .nullish()
    .describe("used if the result names none; counts as part of the lock scope"),
  worklog_size: z.number().nonnegative().nullish().describe("bytes at dispatch; the file must have grown"),
});

const hookResult = z.looseObject({
  status: z.enum(["done", "blocked", "failed"]),
  changes: z.array(z.looseObject({ resource: line, action: text })),
  acceptance_check: z.array(check),
  worklog_path: z.string().nullish(),
  notes_for_orchestrator: z.array(z.string()).describe("at most 64 KiB each, without secrets"),
});

const agentOutput = z.looseObject({
  status: z.enum(["OK", "BLOCKED", "FAIL"]),
  summary: text,
  artifacts: z
    .looseObject({ files_changed: z.array(line).nullish(), notes: z.array(z.string()).nullish() })
    .nullish(),
});

export const postExecution = z
  .union([
    z.looseObject({ task_id: line, session: line.nullish(), result: hookResult, assignment }),
    z.looseObject({
      task_id: line,
      session: line.nullish(),
      result: agentOutput,
      assignment,
      acceptance_check: z.array(check).nullish().describe("the caller's own evidence"),
    }),
  ])
  .describe("a subagent's result: a hook result, or an agent's output together with the caller's evidence");
