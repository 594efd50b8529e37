const usualSeconds = 60;

/** The default heartbeat interval: a third of the timeout, at most one minute. */
export function heartbeatFor(timeoutSeconds: number): number {
  return Math.max(1, Math.min(usualSeconds, Math.floor(timeoutSeconds / 3)));
}
