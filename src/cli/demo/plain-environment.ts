import { delimiter, dirname } from "node:path";

/** The environment without variables of tasks and of other repositories; `node` is the one that runs this. */
export function plainEnvironment(): Record<string, string> {
  const foreign = /^(?:LOCKSTEP_|CLAUDE_AGENT_|GIT_|NODE_TEST_CONTEXT$)/;
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || foreign.test(name) ? [] : [[name, value] as const],
  );
  const path = [dirname(process.execPath), process.env.PATH].filter(Boolean).join(delimiter);
  return { ...Object.fromEntries(kept), PATH: path };
}
