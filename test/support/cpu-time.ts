/**
 * Milliseconds of CPU that this process has used since then. Unlike elapsed time this does not depend on other
 * processes.
 */
export function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
