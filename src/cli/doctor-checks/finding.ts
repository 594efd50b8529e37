/** One line of the doctor's. */
export interface Finding {
  readonly what: string;
  /** off: it could be used and is not. broken: it is there and does not do what it should. */
  readonly state: "ok" | "off" | "broken";
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

export function broken(what: string, detail: string, fix: string): Finding {
  return { what, state: "broken", detail, fix };
}

/** What an error says about itself, in one line. */
export function causeOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
