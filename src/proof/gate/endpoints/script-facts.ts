import type { SyntaxNode } from "../reading/walk-script.ts";
import type { ApiFacts } from "./api-facts.ts";
import { clientCallsIn } from "./client-calls.ts";
import { namesIn } from "./script-names.ts";
import { routesIn } from "./script-routes.ts";

const apiWords =
  /\b(?:fetch|ofetch|useFetch|axios|ky|got|ajax|[rR]equest)\b|\.(?:get|post|put|patch|delete|del|head|options|all|use|route|register|request)\s*[(<]/;

/** False if a text can neither serve nor call anything. Most files need not be parsed for that. */
export function mayHaveApi(text: string): boolean {
  return apiWords.test(text);
}

/** Matches names of servers and routers, mounts, and calls with a path, which tell routes from `get` of a map. */
const servingWords =
  /(?:app|application|server|routers?|routes?|fastify\w*|hono|instance|express|koa|polka|elysia|restana|findmyway)\b|["'`]\\?\/|(?:use|mount|register)\s*[(<]/i;

/** False if it serves nothing. */
export function mayServe(text: string): boolean {
  return mayHaveApi(text) && servingWords.test(text);
}

const callingWords =
  /(?:fetch|axios|\bky|\bgot|request|http|superagent|api|client|instance|jquery)\b|\$\s*\??\./i;

/** False if it calls nothing. */
export function mayCall(text: string): boolean {
  return mayHaveApi(text) && callingWords.test(text);
}

/** Comparing costs the product of these numbers. Files written by hand have fewer. */
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
