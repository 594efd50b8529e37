import type { SyntaxNode } from "../reading/walk-script.ts";
import type { ApiFacts } from "./api-facts.ts";
import { clientCallsIn } from "./client-calls.ts";
import { namesIn } from "./script-names.ts";
import { routesIn } from "./script-routes.ts";

const apiWords =
  /\b(?:fetch|axios|ky|got|ajax|request)\b|\.(?:get|post|put|patch|delete|del|head|options|all|use|route|register|request)\s*[(<]/;

/** False where a text can neither serve nor call anything, which most need not be parsed to know. */
export function mayHaveApi(text: string): boolean {
  return apiWords.test(text);
}

/** Comparing costs the product of these, and nobody writes so many by hand into one file. */
const factsMax = 2000;

/** Routes, mounts and client calls of one script, unless there are too many to compare. */
export function apiFactsIn(program: SyntaxNode): ApiFacts | undefined {
  const names = namesIn(program);
  const { routes, mounts, unreadable } = routesIn(names);
  const calls = clientCallsIn(names, new Set(routes.map(({ start }) => start)));
  if (routes.length > factsMax || mounts.length > factsMax || calls.length > factsMax) return undefined;
  const { routers, clients, imports, specifiers, functions } = names;
  return { routes, mounts, unreadable, calls, routers, clients, imports, specifiers, functions };
}
