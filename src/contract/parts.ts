import * as z from "zod";

/** The building blocks of the payloads. Unknown fields are ignored; null counts as absent. */

export const text = z.string().regex(/\S/).describe("a string that is not blank");

// biome-ignore lint/suspicious/noControlCharactersInRegex: a line has none
const lineForm = /^(?=[\s\S]*\S)[^\u0000-\u001f\u007f]+$/;

export const line = z
  .string()
  .regex(lineForm)
  .describe("a string that is not blank, without control characters");

export const scope = z
  .array(text.describe("a path (itself and everything below) or a glob, inside the project"))
  .max(1000);

export const lockScope = scope.min(1).describe("what the task may write");
export const forbiddenScope = scope.describe("what the task must not write, even inside the lock scope");

export const lock = z.looseObject({
  task_id: text,
  resource: text.describe("a path or glob inside the project"),
  active: z.boolean(),
});

export const locks = z.array(lock).describe("all known locks, of this task and of others");

export const seconds = z.int().positive();

const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/;

export const isoTime = z.string().regex(isoForm).describe("an ISO 8601 time; UTC if it has no time zone");
