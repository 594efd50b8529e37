import { patternsMeet, segmentPattern } from "../../../core/paths/segment-pattern.ts";

/** Marks a part of a text that is known only at run time. */
export const gap = "\uE000";
/** The same, where the piece may well hold several segments. */
export const wideGap = "\uE001";
/** The same, where the piece is by its name the address of the project's own server. */
export const serverGap = "\uE002";

const gaps = /[\uE000-\uE002]/;
const allGaps = /[\uE000-\uE002]/g;

/** Comparing costs a power of these. */
const segmentsMax = 32;
const wideGapsMax = 3;
const optionalMax = 4;

/** Between slashes; a segment may have gaps. In an endpoint `wideGap` alone is any number of segments. */
export type Segments = readonly string[];

/** A text without the marks that stand for gaps. */
export function withoutGaps(text: string): string {
  return text.replace(allGaps, "");
}

/** The path of a client's URL on its own server; undefined for other servers and unknown URLs. */
export function callSegments(url: string): Segments | undefined {
  const [origin, host = ""] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (origin !== undefined && !isOwnHost(host)) return undefined;
  const rest = origin === undefined ? url.replace(/^\uE002(?=\/)/, "") : url.slice(origin.length);
  if (/^(?:\/\/|\.|[\uE000-\uE002]|[a-z][a-z0-9+.-]*:)/i.test(rest)) return undefined;
  const segments = split(rest.replace(/[?#].*$/s, ""));
  const isLarge = segments.length > segmentsMax || countWide(segments) > wideGapsMax;
  return isLarge ? undefined : segments;
}

function countWide(segments: Segments): number {
  return segments.filter((segment) => segment === wideGap).length;
}

function isOwnHost(host: string): boolean {
  return (
    host.startsWith(serverGap) || /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?::\d*)?$/i.test(host)
  );
}

function split(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/**
 * The paths that a route's pattern stands for, in the ways of Express, Fastify, Koa, Hono and OpenAPI: `:id`,
 * `{id}`, `*`, and parts that may be left out. One that begins with a gap may begin with anything.
 */
export function routeSegments(pattern: string, left = optionalMax): readonly Segments[] {
  const optional = left === 0 ? null : /\{(\/[^{}]*)\}|\/(:\w+(?:\([^)]*\))?)\?(?=\/|$)/.exec(pattern);
  if (optional !== null) {
    const [whole, group, parameter] = optional;
    const [before, after] = [pattern.slice(0, optional.index), pattern.slice(optional.index + whole.length)];
    return [before + after, before + (group ?? `/${parameter}`) + after].flatMap((one) =>
      routeSegments(one, left - 1),
    );
  }
  const segments = split(opened(pattern)).map(routeSegment);
  return [bounded(segments)];
}

/** A path of which the beginning is not known may begin with any number of segments. */
export function opened(path: string): string {
  return path.replace(/^[\uE000-\uE002]+(?=\/|$)/, wideGap);
}

/** A longer pattern counts as serving everything below its beginning. */
function bounded(segments: Segments): Segments {
  const end = segments.findIndex(
    (_, at) => at === segmentsMax || countWide(segments.slice(0, at + 1)) > wideGapsMax,
  );
  return end < 0 ? segments : [...segments.slice(0, end), wideGap];
}

function routeSegment(segment: string): string {
  if (/^(?:\*\w*|\{\*\w*\}|\(\.\*\)|:\w+(?:[*+]|\(\.[*+]\))|:\w+\{\.[*+]\})$/.test(segment)) return wideGap;
  return segment.replace(/:\w+(?:\([^)]*\)|\{[^}]*\})?\??|\{[^}]*\}|\*/g, gap);
}

/** Whether a call can mean this endpoint, for some values of its gaps. */
export function serves(endpoint: Segments, call: Segments): boolean {
  const [wanted, ...endpoints] = endpoint;
  const [given, ...calls] = call;
  if (wanted === wideGap)
    return endpoints.length === 0 || call.some((_, at) => serves(endpoints, call.slice(at)));
  if (wanted === undefined || given === undefined) return wanted === undefined && given === undefined;
  if (given === wideGap) return serves(endpoints, calls) || serves(endpoints, call);
  if (!segmentsMeet(wanted, given)) return false;
  // What follows `/users${rest}` may be a query, or more segments.
  const isOpen = calls.length === 0 && given.length > 1 && gaps.test(given.charAt(given.length - 1));
  return isOpen || serves(endpoints, calls);
}

function segmentsMeet(a: string, b: string): boolean {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  if (left === right) return true;
  if (!gaps.test(left) && !gaps.test(right)) return false;
  return patternsMeet(segmentPattern(asGlob(left)), segmentPattern(asGlob(right)));
}

function asGlob(segment: string): string {
  return segment.replace(/[*?[\]]/g, "?").replace(allGaps, "*");
}

/** The first segment, by which a project knows its own API. */
export function prefixOf([first]: Segments): string | undefined {
  return first === undefined || gaps.test(first) ? undefined : first.toLowerCase();
}

/** The path for messages, with stars for gaps. */
export function shownPath(segments: Segments): string {
  return `/${segments.map((segment) => segment.replaceAll(wideGap, "**").replace(allGaps, "*")).join("/")}`;
}
