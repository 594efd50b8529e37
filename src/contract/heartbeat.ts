const usualSeconds = 60;

/** How often an agent says that it lives where nobody said so: three times before its timeout, at most each minute. */
export function heartbeatFor(timeoutSeconds: number): number {
  return Math.max(1, Math.min(usualSeconds, Math.floor(timeoutSeconds / 3)));
}
