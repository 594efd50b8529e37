import * as z from "zod";
import { line, text } from "./parts.ts";

/** What an agent submits in addition to a result, in JSON or YAML. */

const textLengthMax = 64 * 1024;
const listLengthMax = 10_000;

const shortLine = line.max(textLengthMax);
const shortText = text.max(textLengthMax);
const files = z.array(shortLine).max(listLengthMax).nullish();
const texts = z.array(shortText).max(listLengthMax);
const output = z.string().nullish();

const deliverable = z.looseObject({
  filesCreated: files,
  filesModified: files,
  testsAdded: z.unknown().optional().describe("a number or a list"),
  testsPassing: z
    .union([z.boolean(), z.number(), z.string(), z.array(z.unknown())])
    .nullish()
    .describe("whether all tests pass, or how many, or which"),
});

const answer = {
  taskId: line.nullish().describe("must be the task that is reported on"),
  evidence: z
    .looseObject({ testOutput: output, lintOutput: output, buildOutput: output })
    .nullish()
    .describe("output that shows that the criteria are met; a finished task needs at least one"),
  blockers: texts.nullish(),
};

export const delegationOutput = z
  .union([
    z.looseObject({ ...answer, status: z.enum(["complete", "needs_review"]), deliverable }),
    z.looseObject({ ...answer, status: z.literal("blocked"), deliverable: deliverable.nullish() }),
  ])
  .describe("an agent's answer to a delegation");

export const errorReport = z
  .looseObject({
    error: z.looseObject({
      taskId: shortLine.describe("must be the task that is reported on"),
      agent: shortLine,
      errorType: z.enum(["compile", "test", "runtime", "scope_violation", "blocked"]),
      message: shortText,
      stackTrace: z.string().nullish(),
      attemptedFix: shortText.describe("what the agent tried"),
      retryCount: z.int().nonnegative(),
      recommendation: shortText.describe("what should happen next"),
    }),
  })
  .describe("an agent's report of an error that it could not fix");

const signal = {
  taskId: line.nullish().describe("must be the task that is reported on"),
  reason: shortText.nullish().describe("required if there is no blocker"),
  blockers: texts,
};

export const escalation = z
  .looseObject({
    escalation: z.union([
      z.looseObject({ ...signal, attemptedPaths: texts }),
      z.looseObject({ ...signal, attempted_paths: texts }),
    ]),
  })
  .describe("an agent's request for help: what it tried, and what blocks it");
