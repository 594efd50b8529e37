import { readSubmission } from "./read-submission.ts";
import type { ReportedTask, ResultSubmission } from "./submission.ts";

export const task: ReportedTask = {
  id: "T-1",
  criteria: ["tests pass", "lint is clean"],
  worklogPath: "worklogs/T-1.md",
};
export const read = (document: unknown, of = task) => readSubmission(document, of);
export const fieldOf = (document: unknown) => {
  const submission = read(document);
  return "error" in submission ? submission.field : "read";
};
export const large = "x".repeat(64 * 1024 + 1);
export const largeInBytes = "é".repeat(32 * 1024 + 1);
export const many = (item: unknown) => Array(10_001).fill(item);

export const check = { criterion: "tests pass", status: "pass", evidence: "npm test" };
export const hookResult = {
  status: "done",
  changes: [{ resource: "src/a.ts", action: "delete" }],
  acceptance_check: [check],
  worklog_path: "own.md",
  notes_for_orchestrator: ["ready"],
};
export const agentOutput = {
  status: "OK",
  summary: "Rounded prices",
  artifacts: { files_changed: ["src/a.ts"], notes: ["none"] },
};
export const delegation = {
  taskId: "T-1",
  status: "complete",
  deliverable: { filesCreated: ["src/new.ts"], filesModified: ["src/a.ts"], testsAdded: 2, testsPassing: 2 },
  evidence: { testOutput: "2 passed", lintOutput: " ", buildOutput: null },
  blockers: [] as string[],
};
export const errorReport = {
  error: {
    taskId: "T-1",
    agent: "Backend",
    errorType: "compile",
    message: "no `x`",
    stackTrace: "at a.ts:1",
    attemptedFix: "imported it",
    retryCount: 1,
    recommendation: "ask the architect",
  },
};
export const escalation = {
  escalation: { taskId: "T-1", reason: "no access", attemptedPaths: ["a token"], blockers: ["no token"] },
};

export function resultOf(document: unknown, of = task): ResultSubmission {
  const submission = read(document, of);
  if (!("kind" in submission) || submission.kind !== "result") throw new Error(JSON.stringify(submission));
  return submission;
}
