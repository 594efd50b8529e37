import { literalPrefix } from "../core/paths/stored-shape.ts";
import type { NewLock } from "./ledger.ts";

/**
 * The prefixes under which a path lock is indexed. Only active locks have rows there, so that released locks cost
 * nothing.
 */
export function prefixesOf({ kind, shapes }: Pick<NewLock, "kind" | "shapes">): string[] {
  if (kind !== "path") return [];
  return [...new Set(shapes.map((shape) => literalPrefix(shape).toWellFormed()))];
}

/** The parent folders, up to the whole project, which is "". */
export function ancestorsOf(prefix: string): string[] {
  const segments = prefix.split("/");
  return segments.map((_, depth) => segments.slice(0, depth).join("/"));
}
