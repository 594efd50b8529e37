export const groups = ["repository", "checks", "machine", "agents", "hooks", "ledger"] as const;

/** One line of the doctor's. */
export interface Finding {
  readonly what: string;
  /**
   * off: it could be used and is not. missing: some commands need it, and it is not there. broken: it is there and
   * does not do what it should, or nothing works without it.
   */
  readonly state: "ok" | "off" | "missing" | "broken";
  readonly detail: string;
  /** What to do about it; null where nothing is to be done. */
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

/** Of a reason that ends with what to do, as all of Lockstep's do. */
export function brokenBy(what: string, reason: string): Finding {
  const end = Math.max(reason.lastIndexOf(": "), reason.lastIndexOf("; "));
  return end < 0
    ? broken(what, reason, "`lockstep doctor --debug` shows where it comes from")
    : broken(what, reason.slice(0, end), reason.slice(end + 2));
}

/** The line that sets a key of the configuration. */
export function configLine(text: string): string {
  return `write \`${text}\` into .lockstep/config.yaml`;
}

/** What an error says about itself, in one line. */
export function causeOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
