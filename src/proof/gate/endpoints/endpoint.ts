import { type Segments, serves, shownPath } from "./url-path.ts";

/** An endpoint of the project, and its position in the source. */
export interface Endpoint {
  /** Upper-case; undefined: all methods. */
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

/** Servers answer HEAD if they answer GET, and OPTIONS for every path. */
function takesMethod(served: string | undefined, called: string | undefined): boolean {
  if (served === undefined || called === undefined || served === called) return true;
  return called === "OPTIONS" || (called === "HEAD" && served === "GET");
}

/** `GET /api/users/*`. */
export function shownRequest({ method, segments }: Pick<Endpoint, "method" | "segments">): string {
  return `${method === undefined ? "" : `${method} `}${shownPath(segments)}`;
}
