import { textOf } from "../imports/script-imports.ts";
import { isNode, type SyntaxNode, walkScript } from "../reading/walk-script.ts";
import type { Range } from "./api-facts.ts";
import { nameOf, propertiesOf, textWithGaps, unwrapped } from "./script-text.ts";

/** The names of a script and what they stand for, as far as routes and calls need them. */
export interface ScriptNames {
  readonly constants: ReadonlyMap<string, string>;
  readonly imports: ReadonlyMap<string, string>;
  readonly specifiers: readonly string[];
  readonly functions: ReadonlyMap<string, Range>;
  readonly routers: ReadonlyMap<string, string>;
  readonly clients: ReadonlyMap<string, string>;
  /** Every call and `new`, in order. */
  readonly calls: readonly SyntaxNode[];
}

const routerMakers =
  /^(?:express|fastify|router|koarouter|hono|openapihono|polka|elysia|restana|createrouter|findmyway)$/i;
const routerTypes = /^(?:Fastify\w*|Express|Application|I?Router|Hono|Koa)$/;
const clientMakers = /^(?:axios|ky|got|\$?fetch|ofetch)$/i;

export function namesIn(program: SyntaxNode): ScriptNames {
  const constants = new Map<string, string>();
  const imports = new Map<string, string>();
  const specifiers: string[] = [];
  const functions = new Map<string, Range>();
  const routers = new Map<string, string>();
  const clients = new Map<string, string>();
  const calls: SyntaxNode[] = [];

  const declare = (name: string, value: SyntaxNode, isConstant: boolean) => {
    if (/^(?:Arrow)?FunctionExpression$/.test(value.type)) functions.set(name, value);
    else if (/^(?:StringLiteral|TemplateLiteral|BinaryExpression)$/.test(value.type) && isConstant)
      constants.set(name, textWithGaps(value, constants));
    const required = requiredBy(value);
    if (required !== undefined) imports.set(name, required);
    const router = madePrefix(value, routerMakers, ["prefix"], constants);
    if (router !== undefined) routers.set(name, router);
    const client = madePrefix(value, clientMakers, ["baseURL", "prefixUrl", "baseUrl"], constants);
    if (client !== undefined && isMade(value)) clients.set(name, client);
  };

  walkScript(program, ({ node, parent, lazy }) => {
    if (/^(?:Optional)?CallExpression$|^NewExpression$/.test(node.type)) calls.push(node);
    const handed =
      routerHandedTo(node) ?? (routerTypes.test(typeOf(node)) ? (node.name as string) : undefined);
    if (handed !== undefined && !routers.has(handed)) routers.set(handed, "");
    const source = textOf(node.source);
    if (source !== undefined) {
      specifiers.push(source);
      for (const { local, exported } of (node.specifiers ?? []) as SyntaxNode[]) {
        const name = node.type === "ImportDeclaration" ? local : exported;
        if (isNode(name) && typeof name.name === "string") imports.set(name.name, source);
      }
    }
    const required = requiredBy(node);
    if (required !== undefined) specifiers.push(required);
    if (node.type === "FunctionDeclaration" && isNode(node.id)) functions.set(node.id.name as string, node);
    if (node.type !== "VariableDeclarator") return;
    const value = unwrapped(node.init);
    if (value === undefined) return;
    // A name of some function's own may mean something else elsewhere.
    for (const name of namesBound(node.id)) declare(name, value, parent?.kind === "const" && !lazy);
  });
  return { constants, imports, specifiers, functions, routers, clients, calls };
}

/** `f` in `app.register(async (f) => …)`. */
function routerHandedTo({ type, callee, arguments: given }: SyntaxNode): string | undefined {
  if (type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return undefined;
  const plugin = nameOf(callee) === "register" ? unwrapped((given as unknown[])[0]) : undefined;
  const [first] = (plugin?.params ?? []) as unknown[];
  return isNode(first) && first.type === "Identifier" ? (first.name as string) : undefined;
}

/** The type that a name is declared with. */
function typeOf({ type, typeAnnotation }: SyntaxNode): string {
  if (type !== "Identifier" || !isNode(typeAnnotation) || !isNode(typeAnnotation.typeAnnotation)) return "";
  const { typeName } = typeAnnotation.typeAnnotation;
  return isNode(typeName) && typeof typeName.name === "string" ? typeName.name : "";
}

function namesBound(id: unknown): string[] {
  if (!isNode(id)) return [];
  if (id.type === "Identifier") return [id.name as string];
  if (id.type !== "ObjectPattern") return [];
  return (id.properties as SyntaxNode[]).flatMap(({ value }) =>
    isNode(value) && value.type === "Identifier" ? [value.name as string] : [],
  );
}

/** The module of `require("x")`, and of what is taken from it at once. */
function requiredBy(node: SyntaxNode): string | undefined {
  let at: SyntaxNode | undefined = node;
  while (at !== undefined && (/MemberExpression$/.test(at.type) || at.type === "CallExpression")) {
    const { callee } = at;
    if (isNode(callee) && callee.type === "Identifier" && callee.name === "require")
      return textOf((at.arguments as unknown[])[0]);
    at = unwrapped(at.object ?? at.callee);
  }
  return undefined;
}

/** What `new Router({ prefix: "/x" })`, `new Hono().basePath("/x")` or `axios.create({ baseURL: "/x" })` begin with. */
function madePrefix(
  value: SyntaxNode,
  makers: RegExp,
  options: readonly string[],
  constants: ReadonlyMap<string, string>,
): string | undefined {
  if (!/^(?:Call|New)Expression$/.test(value.type)) return undefined;
  const callee = unwrapped(value.callee);
  const given = (value.arguments as unknown[])[0];
  const object =
    callee !== undefined && /MemberExpression$/.test(callee.type) ? unwrapped(callee.object) : undefined;
  const name = nameOf(callee) ?? "";
  if (name === "basePath" && object !== undefined && makers.test(makerOf(object)))
    return textWithGaps(given, constants);
  if (!makers.test(name) && !(/^(?:create|extend)$/.test(name) && makers.test(nameOf(object) ?? "")))
    return undefined;
  const properties = propertiesOf(given);
  const prefix = options.map((option) => properties?.get(option)).find((one) => one !== undefined);
  return prefix === undefined ? "" : textWithGaps(prefix, constants);
}

function makerOf(node: SyntaxNode): string {
  return nameOf(/^(?:Call|New)Expression$/.test(node.type) ? node.callee : node) ?? "";
}

/** A client is made by `create` or `extend`; `fetch(…)` is a call of one. */
function isMade(value: SyntaxNode): boolean {
  return /^(?:create|extend)$/.test(nameOf(value.callee) ?? "");
}
