import type { SyntaxNode } from "../reading/walk-script.ts";
import type { ApiFacts } from "./api-facts.ts";
import { clientCallsIn } from "./client-calls.ts";
import { namesIn } from "./script-names.ts";
import { routesIn } from "./script-routes.ts";

const apiWords =
  /\b(?:fetch|ofetch|useFetch|axios|ky|got|ajax|[rR]equest)\b|\.(?:get|post|put|patch|delete|del|head|options|all|use|route|register|request)\s*[(<]/;

/** False where a text can neither serve nor call anything, which most need not be parsed to know. */
export function mayHaveApi(text: string): boolean {
  return apiWords.test(text);
}

/** What takes routes by its name, mounts something, or is told by a path that it is no mere map. */
const servingWords =
  /(?:app|application|server|routers?|routes?|fastify\w*|hono|instance|express|koa|polka|elysia|restana|findmyway)\b|["'`]\\?\/|(?:use|mount|register)\s*[(<]/i;

/** False where it serves nothing, whatever it calls. */
export function mayServe(text: string): boolean {
  return mayHaveApi(text) && servingWords.test(text);
}

const callingWords =
  /(?:fetch|axios|\bky|\bgot|request|http|superagent|api|client|instance|jquery)\b|\$\s*\??\./i;

/** False where it calls nothing, whatever it serves. */
export function mayCall(text: string): boolean {
  return mayHaveApi(text) && callingWords.test(text);
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
