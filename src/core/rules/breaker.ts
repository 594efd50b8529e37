import { type Deny, deny } from "./verdict.ts";

/** The circuit breaker of S1; only a person sets it. PAUSE: no task starts. STOP: also no agent may write. */
export type BreakerMode = "CLEAR" | "PAUSE" | "STOP";

interface Breaker {
  readonly mode: BreakerMode;
  readonly reason?: string | null;
  /** When it was set; part of the refusal if known. */
  readonly since?: string | null;
}

/** Why the breaker forbids the act now; undefined if it does not. */
export function whyStopped({ mode, reason, since }: Breaker, act: "start" | "write"): Deny | undefined {
  if (mode === "CLEAR" || (mode === "PAUSE" && act === "write")) return undefined;
  const why = reason == null ? "" : ` (${reason})`;
  return deny(
    "R-CB-001",
    `all work is ${mode === "PAUSE" ? "paused" : "stopped"}${why}: wait until a person runs \`lockstep clear\``,
    { mode, ...(since === undefined ? {} : { since }) },
  );
}
