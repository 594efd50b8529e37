import * as z from "zod";

const details = z.record(z.string(), z.unknown());
const oneLine = z.string().regex(/^[^\n\r]+$/);

export const verdict = z
  .discriminatedUnion("allow", [
    z.strictObject({
      allow: z.literal(true),
      code: z.literal("OK"),
      reason: z.literal("Validation passed"),
      details: details.optional(),
    }),
    z.strictObject({
      allow: z.literal(false),
      code: z
        .string()
        .regex(/^(?:R-[A-Z]{2}-\d{3}|E-[A-Z]+)$/)
        .describe("see docs/rules.md"),
      reason: oneLine.describe("what is wrong, in one line"),
      details,
    }),
  ])
  .describe("what every hook prints; the exit code is 0 for allow and 2 for deny");
