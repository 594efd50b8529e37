/** The folder of session files, relative to the project root. */
export const sessionsFolder = ".agents-work";

/** The file name of a session's copy of its plan. */
export const copyName = "tasks.yaml";

/** Files besides its worklog that an agent may append to in its own checkout (S1-162). */
export const memoryFiles = ["activeContext.md", "progress.md"] as const;
export type MemoryFile = (typeof memoryFiles)[number];

/** Views of the ledger. An agent's edit of one in its own checkout is read as a request. */
export const viewFiles = ["status.json", copyName] as const;
export type ViewFile = (typeof viewFiles)[number];

export function sessionPath(session: string, file: string): string {
  return `${sessionsFolder}/${session}/${file}`;
}

/** The command that continues the plan of this session, and of no other. */
export function planCommand(session: string): string {
  return `lockstep run ${sessionPath(session, copyName)}`;
}

export function worklogPath(session: string | null, id: string): string {
  const file = `worklogs/${id}.md`;
  return session === null ? `${sessionsFolder}/${file}` : sessionPath(session, file);
}
