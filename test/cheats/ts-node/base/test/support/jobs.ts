import type { Job } from "#queue";

export function job(id: string, priority = 0): Job {
  return { id, priority };
}

export function ids(jobs: readonly (Job | undefined)[]): string[] {
  return jobs.map((one) => one?.id ?? "none");
}
