import { textOf } from "../imports/script-imports.ts";
import { isNode, lineOf, type SyntaxNode } from "../reading/walk-script.ts";
import type { ApiFacts, Mount, MountTarget, Route } from "./api-facts.ts";
import type { ScriptNames } from "./script-names.ts";
import { nameOf, propertiesOf, textWithGaps, unwrapped } from "./script-text.ts";
import { withoutGaps } from "./url-path.ts";

export const methodNames: ReadonlySet<string> = new Set([
  "get",
  "post",
  "put",
  "patch",
  "delete",
  "head",
  "options",
]);

const routerName = /^(?:app|server|router|routes?|fastify|hono|instance)$|(?:App|Router|Routes|Server)$/;
const functions = /^(?:Arrow)?FunctionExpression$/;
/** Clients that hand what they got to a function. */
const callbackClient = /^(?:\$|jQuery|request|superagent|https?|axios)$/;

type Routes = Pick<ApiFacts, "routes" | "mounts" | "unreadable">;

/** The routes that a script gives to a server, and what it mounts where. */
export function routesIn(names: ScriptNames): Routes {
  const routes: Route[] = [];
  const mounts: Mount[] = [];
  const unreadable: number[] = [];
  for (const call of names.calls) {
    const member = unwrapped(call.callee);
    if (member === undefined || !/MemberExpression$/.test(member.type)) continue;
    const receiver = receiverOf(member.object);
    const method = nameOf(member);
    if (receiver === undefined || method === undefined) continue;
    const router = routerBy(receiver, call, names);
    if (router === undefined) continue;
    const given = call.arguments as SyntaxNode[];
    const place = {
      receiver,
      start: call.start,
      line: lineOf(isNode(member.property) ? member.property : call),
    };
    const mount = mountOf(method, given, names);
    if (mount !== undefined) mounts.push({ ...place, ...mount });
    for (const { path, ...route } of routesOf({ method, given, member }, names))
      if (router === "handler" && !path?.startsWith("/")) continue;
      else if (path === undefined) unreadable.push(place.line);
      else routes.push({ ...place, ...route, path });
  }
  return { routes, mounts, unreadable };
}

/** The name of what a chain of calls begins with: `app` for `app.route("/x").get(…)`, `router` for `this.router`. */
function receiverOf(node: unknown): string | undefined {
  let at = unwrapped(node);
  while (at?.type === "CallExpression") {
    const callee = unwrapped(at.callee);
    if (callee === undefined || !/MemberExpression$/.test(callee.type)) return nameOf(callee);
    at = unwrapped(callee.object);
  }
  return nameOf(at);
}

/** By its name a router; or by the function that it is handed, which is enough for a path that can be read. */
function routerBy(receiver: string, call: SyntaxNode, names: ScriptNames): "name" | "handler" | undefined {
  if (names.routers.has(receiver)) return "name";
  const isClient = names.clients.has(receiver) || callbackClient.test(receiver);
  if (isClient || isStandIn(names.imports.get(receiver))) return undefined;
  if (routerName.test(receiver)) return "name";
  return (call.arguments as SyntaxNode[]).slice(1).some(({ type }) => functions.test(type))
    ? "handler"
    : undefined;
}

/** Libraries that play a server, or call one that a test plays. */
export function isStandIn(specifier: string | undefined): boolean {
  return specifier !== undefined && /^(?:msw|nock|supertest)$/.test(specifier);
}

interface FoundRoute {
  readonly method: string | undefined;
  readonly path: string | undefined;
}

function routesOf(
  { method, given, member }: { method: string; given: readonly SyntaxNode[]; member: SyntaxNode },
  names: ScriptNames,
): FoundRoute[] {
  const verb = method === "del" ? "delete" : method;
  if (verb === "route" && propertiesOf(given[0]) !== undefined) return describedRoutes(given[0], names);
  if (!methodNames.has(verb) && verb !== "all") return [];
  const upper = verb === "all" ? undefined : verb.toUpperCase();
  const chained = chainedPath(member.object, names);
  if (chained !== undefined && !isText(given[0]))
    return isHandler(given.at(-1)) ? [{ method: upper, path: chained }] : [];
  // `router.get("name", "/path", handler)` gives the route a name.
  const named = given.length > 2 && isText(given[1]) && !/^\//.test(textOf(given[0]) ?? "/");
  const rest = named ? given.slice(1) : given;
  if (rest.length < 2 || !isHandler(rest.at(-1))) return [];
  return pathsIn(rest[0], names).map((path) => ({ method: upper, path }));
}

/** `.route({ method: "GET", url: "/x", handler })`, `method` being one or several. */
function describedRoutes(node: unknown, { constants }: ScriptNames): FoundRoute[] {
  const properties = propertiesOf(node);
  const written = properties?.get("url") ?? properties?.get("path");
  const path = readable(textWithGaps(written, constants));
  const methods = properties?.get("method");
  const listed = methods?.type === "ArrayExpression" ? (methods.elements as unknown[]) : [methods];
  return listed.map((one) => ({ method: textOf(one)?.toUpperCase(), path }));
}

/** The path of `app.route("/x")`, on which methods are called one after the other. */
function chainedPath(node: unknown, { constants }: ScriptNames): string | undefined {
  let at = unwrapped(node);
  while (at?.type === "CallExpression") {
    const callee = unwrapped(at.callee);
    const given = at.arguments as unknown[];
    if (nameOf(callee) === "route" && given.length === 1) return textWithGaps(given[0], constants);
    at = callee !== undefined && /MemberExpression$/.test(callee.type) ? unwrapped(callee.object) : undefined;
  }
  return undefined;
}

function isText(node: unknown): boolean {
  return /^(?:StringLiteral|TemplateLiteral)$/.test(unwrapped(node)?.type ?? "");
}

/** A function, or what may well be one. */
function isHandler(node: unknown): boolean {
  const handler = unwrapped(node);
  if (handler === undefined) return false;
  if (handler.type === "ObjectExpression") return propertiesOf(handler)?.get("handler") !== undefined;
  return (
    functions.test(handler.type) ||
    /^(?:Identifier|ArrayExpression)$|MemberExpression$|CallExpression$/.test(handler.type)
  );
}

function pathsIn(node: unknown, { constants }: ScriptNames): (string | undefined)[] {
  const written = unwrapped(node);
  const listed = written?.type === "ArrayExpression" ? (written.elements as unknown[]) : [written];
  return listed.map((one) => readable(textWithGaps(one, constants)));
}

/** Not a path of which nothing is known. */
function readable(path: string): string | undefined {
  return path !== "" && withoutGaps(path) === "" ? undefined : path;
}

/** Something put below a path: `use(path?, …)`, Hono's `route(path, …)`, Fastify's `register(…, { prefix })`. */
function mountOf(
  method: string,
  given: readonly SyntaxNode[],
  names: ScriptNames,
): Pick<Mount, "prefix" | "targets"> | undefined {
  const { constants } = names;
  if (method === "register") {
    const prefix = propertiesOf(given[1])?.get("prefix");
    const targets = targetsIn(given.slice(0, 1));
    return { prefix: prefix === undefined ? "" : textWithGaps(prefix, constants), targets };
  }
  const first = unwrapped(given[0]);
  const isPath =
    first !== undefined &&
    (isText(first) || (first.type === "Identifier" && constants.has(first.name as string)));
  const isUse = /^use$|Use$/.test(method);
  if (isUse || (method === "route" && given.length === 2) || method === "mount")
    return isPath
      ? { prefix: textWithGaps(first, constants), targets: targetsIn(given.slice(1)) }
      : isUse
        ? { prefix: "", targets: targetsIn(given) }
        : undefined;
  return undefined;
}

function targetsIn(given: readonly SyntaxNode[]): MountTarget[] {
  return given.flatMap((one) => {
    const target = unwrapped(one);
    if (target === undefined) return [];
    if (functions.test(target.type)) return [{ range: target }];
    return namesWithin(target);
  });
}

/** The names that an expression is made of: `users` in `users.routes()` and in `guarded(users)`. */
function namesWithin(node: SyntaxNode): MountTarget[] {
  const found: MountTarget[] = [];
  const open: unknown[] = [node];
  for (let visited = 0; open.length > 0 && visited < 20; visited += 1) {
    const at = unwrapped(open.pop());
    if (at === undefined) continue;
    const specifier = /^ImportExpression$/.test(at.type) ? textOf(at.source) : undefined;
    if (specifier !== undefined) found.push({ specifier });
    if (at.type === "Identifier") found.push({ name: at.name as string });
    if (/MemberExpression$/.test(at.type)) {
      const object = unwrapped(at.object);
      const member = nameOf(at);
      if (object?.type === "Identifier" && member !== undefined)
        found.push({ name: object.name as string, member });
      else open.push(object);
    }
    if (at.type === "ArrayExpression") open.push(...(at.elements as unknown[]));
    if (!/CallExpression$/.test(at.type)) continue;
    const required =
      isNode(at.callee) && at.callee.name === "require" ? textOf((at.arguments as unknown[])[0]) : undefined;
    if (required !== undefined) found.push({ specifier: required });
    else open.push(at.callee, ...(at.arguments as unknown[]));
  }
  return found;
}
