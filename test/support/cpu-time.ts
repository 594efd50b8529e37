/** Milliseconds of CPU that this process has used since: beside other busy processes the same work takes no more. */
export function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
