import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";

/**
 * A change that removes the behavior of some rows of test/conformance/conformance.md, and the test that must notice it.
 */
const mutation = z.strictObject({
  rows: z.array(z.string()).min(1),
  file: z.string(),
  /** Occurs exactly once in the file. */
  from: z.string().min(1),
  to: z.string(),
  test: z.string(),
  title: z.string(),
});

/** All mutations: one file for each document of requirements. */
export function readMutations(root: string): readonly z.infer<typeof mutation>[] {
  const folder = join(root, "test/conformance/mutations");
  return readdirSync(folder).flatMap((name) =>
    z.array(mutation).parse(parse(readFileSync(join(folder, name), "utf8"))),
  );
}
