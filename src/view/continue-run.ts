import { planCommand } from "../core/names/session-paths.ts";
import { sessionOfKey } from "../core/names/task-name.ts";

const namedMax = 3;

/** The commands that continue the plans of these tasks. If there are several, each names its plan. */
export function continueCommands(keys: readonly string[]): string {
  const sessions = [...new Set(keys.flatMap((key) => sessionOfKey(key) ?? []))];
  if (sessions.length < 2) return "`lockstep run`";
  const named = sessions.slice(0, namedMax).map((session) => `\`${planCommand(session)}\``);
  return sessions.length > namedMax
    ? `${named.join(", ")} or one of \`lockstep session list\``
    : `${named.slice(0, -1).join(", ")} or ${named.at(-1)}`;
}
