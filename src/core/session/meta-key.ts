/** What concerns a session as a whole is done and asked under a task of its own, which is none for people. */
export function metaKey(session: string): string {
  return `${session}/meta`;
}

export function isMeta(task: string): boolean {
  return task.endsWith("/meta");
}
