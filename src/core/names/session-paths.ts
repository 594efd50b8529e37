/** Where the files of sessions lie, from the project's root. */
export const sessionsFolder = ".agents-work";

/** A session's copy of its plan, in its folder. */
export const copyName = "tasks.yaml";

/** What an agent may add to in its own copy, beside its worklog (S1-162). */
export const memoryFiles = ["activeContext.md", "progress.md"] as const;
export type MemoryFile = (typeof memoryFiles)[number];

/** What only shows how the ledger stands: what an agent writes there in its own checkout is a request. */
export const viewFiles = ["status.json", copyName] as const;
export type ViewFile = (typeof viewFiles)[number];

/** A file of a session's. */
export function sessionPath(session: string, file: string): string {
  return `${sessionsFolder}/${session}/${file}`;
}

/** The file that a task's agent writes its log to. */
export function worklogPath(session: string | null, id: string): string {
  const file = `worklogs/${id}.md`;
  return session === null ? `${sessionsFolder}/${file}` : sessionPath(session, file);
}
