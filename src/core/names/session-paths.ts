/** Where the files of sessions lie, from the project's root. */
export const sessionsFolder = ".agents-work";

/** A session's copy of its plan, in its folder. */
export const copyName = "tasks.yaml";

/** A file of a session's. */
export function sessionPath(session: string, file: string): string {
  return `${sessionsFolder}/${session}/${file}`;
}

/** The file that a task's agent writes its log to. */
export function worklogPath(session: string | null, id: string): string {
  const file = `worklogs/${id}.md`;
  return session === null ? `${sessionsFolder}/${file}` : sessionPath(session, file);
}
