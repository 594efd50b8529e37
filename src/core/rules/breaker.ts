import { type Deny, deny } from "./verdict.ts";

/** S1's circuit breaker, which only a person sets. Paused: nothing new starts. Stopped: nothing is written either. */
export type BreakerMode = "CLEAR" | "PAUSE" | "STOP";

interface Breaker {
  readonly mode: BreakerMode;
  readonly reason?: string | null;
  /** Told in the refusal where it is known. */
  readonly since?: string | null;
}

/** Why nothing may start, or be written, now; undefined where it may. */
export function whyStopped({ mode, reason, since }: Breaker, act: "start" | "write"): Deny | undefined {
  if (mode === "CLEAR" || (mode === "PAUSE" && act === "write")) return undefined;
  const why = reason == null ? "" : ` (${reason})`;
  return deny(
    "R-CB-001",
    `all work is ${mode === "PAUSE" ? "paused" : "stopped"}${why}: wait until a person runs \`lockstep clear\``,
    { mode, ...(since === undefined ? {} : { since }) },
  );
}
