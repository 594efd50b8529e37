export const groups = ["repository", "checks", "machine", "agents", "hooks", "ledger"] as const;

/** One line of `lockstep doctor`. */
export interface Finding {
  readonly what: string;
  /**
   * off: available but not used. missing: some commands need it. broken: present but not working, or required by
   * everything.
   */
  readonly state: "ok" | "off" | "missing" | "broken";
  readonly detail: string;
  /** What to do about it; null if there is nothing to do. */
  readonly fix: string | null;
}

export function ok(what: string, detail: string): Finding {
  return { what, state: "ok", detail, fix: null };
}

export function off(what: string, detail: string, fix: string | null): Finding {
  return { what, state: "off", detail, fix };
}

export function missing(what: string, detail: string, fix: string): Finding {
  return { what, state: "missing", detail, fix };
}

export function broken(what: string, detail: string, fix: string): Finding {
  return { what, state: "broken", detail, fix };
}

/** Splits a reason into the problem and the fix: Lockstep's reasons end with what to do. */
export function brokenBy(what: string, reason: string): Finding {
  const end = Math.max(reason.lastIndexOf(": "), reason.lastIndexOf("; "));
  return end < 0
    ? broken(what, reason, "`lockstep doctor --debug` shows the stack trace")
    : broken(what, reason.slice(0, end), reason.slice(end + 2));
}

/** The line that sets a key of the configuration. */
export function configLine(text: string): string {
  return `write \`${text}\` into .lockstep/config.yaml`;
}

/** The first line of an error's message. */
export function causeOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
