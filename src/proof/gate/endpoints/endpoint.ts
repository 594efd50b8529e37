import { type Segments, serves, shownPath } from "./url-path.ts";

/** Something that the project serves, and where that is written. */
export interface Endpoint {
  /** Upper-case; nothing for all of them. */
  readonly method: string | undefined;
  readonly segments: Segments;
  readonly path: string;
  readonly line: number;
}

/** A call of the project's own server. */
export interface ApiCall {
  readonly method: string | undefined;
  readonly segments: Segments;
  readonly path: string;
  readonly line: number;
}

export function answers(endpoint: Endpoint, call: ApiCall): boolean {
  return takesMethod(endpoint.method, call.method) && serves(endpoint.segments, call.segments);
}

/** Servers answer HEAD where they answer GET, and OPTIONS for all. */
function takesMethod(served: string | undefined, called: string | undefined): boolean {
  if (served === undefined || called === undefined || served === called) return true;
  return called === "OPTIONS" || (called === "HEAD" && served === "GET");
}

/** `GET /api/users/*`. */
export function shownRequest({ method, segments }: Pick<Endpoint, "method" | "segments">): string {
  return `${method === undefined ? "" : `${method} `}${shownPath(segments)}`;
}
