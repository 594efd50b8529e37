import { metaKey } from "../../core/names/task-name.ts";
import type { Engine } from "../change/engine.ts";

interface Requesting {
  readonly id: string;
  readonly may_change_tests: readonly string[];
}

/** The tests that a plan allows its tasks to change, one line per task. */
export function testRequests(tasks: readonly Requesting[]): readonly string[] {
  return tasks
    .filter(({ may_change_tests: globs }) => globs.length > 0)
    .map(({ id, may_change_tests: globs }) => `${id}: ${globs.join(", ")}`);
}

/**
 * A plan written by a person counts as written. In a session begun with `start`, a role wrote the plan, so its
 * permissions count only after a person has approved exactly these.
 */
export async function withoutUnapproved<One extends Requesting>(
  { ledger }: Pick<Engine, "ledger">,
  session: string,
  tasks: readonly One[],
): Promise<readonly One[]> {
  const requests = testRequests(tasks);
  if (requests.length === 0 || (await ledger.session(session)) === undefined) return tasks;
  const isApproved = (await ledger.decisions()).some(
    ({ task, answer, data }) =>
      task === metaKey(session) &&
      answer === "approved" &&
      JSON.stringify(data?.tests) === JSON.stringify(requests),
  );
  return isApproved ? tasks : tasks.map((task) => ({ ...task, may_change_tests: [] }));
}
