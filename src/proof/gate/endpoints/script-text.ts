import { isNode, type SyntaxNode } from "../reading/walk-script.ts";
import { gap, serverGap, wideGap, withoutGaps } from "./url-path.ts";

/** Constant name to its text. */
export type Constants = ReadonlyMap<string, string>;

const partsMax = 100;

/** An expression as text, with gaps for the parts that cannot be read; a single gap if it is not a text. */
export function textWithGaps(node: unknown, constants: Constants): string {
  const expression = unwrapped(node);
  switch (expression?.type) {
    case "StringLiteral":
      return literal(expression.value as string);
    case "TemplateLiteral": {
      const filled = expression.expressions as SyntaxNode[];
      const pieces = (expression.quasis as { value: { cooked: string | null } }[]).map(
        ({ value }) => value.cooked ?? "",
      );
      return pieces
        .map((piece, at) => literal(piece) + (at < filled.length ? simple(filled[at], constants) : ""))
        .join("");
    }
    case "BinaryExpression":
      return sum(expression, constants);
    default:
      return simple(expression, constants);
  }
}

/** `"/a/" + b + "/c"`: a sum leans to the left. */
function sum(node: SyntaxNode, constants: Constants): string {
  const parts: unknown[] = [];
  let left: SyntaxNode | undefined = node;
  while (left?.type === "BinaryExpression" && left.operator === "+" && parts.length < partsMax) {
    parts.unshift(left.right);
    left = unwrapped(left.left);
  }
  const whole = left?.type === "BinaryExpression" ? [undefined, ...parts] : [left, ...parts];
  return whole.map((part) => (isNode(part) ? flat(part, constants) : gap)).join("");
}

/** A part of a sum: no sum of its own, so that nothing nests. */
function flat(node: SyntaxNode, constants: Constants): string {
  const part = unwrapped(node);
  return part === undefined || part.type === "BinaryExpression" ? gap : textWithGaps(part, constants);
}

function simple(node: unknown, constants: Constants): string {
  const expression = unwrapped(node);
  if (expression?.type === "StringLiteral") return literal(expression.value as string);
  const name = nameOf(expression);
  if (expression?.type === "Identifier" && name !== undefined) {
    const known = constants.get(name);
    if (known !== undefined) return known;
  }
  if (isServerAddress(expression, name ?? "")) return serverGap;
  return /^(?!encode).*(?:path|url|uri|endpoint|route|resource|href)/i.test(name ?? "") ? wideGap : gap;
}

const addressName =
  /^(?:[A-Z0-9]+_)*(?:API|BASE|SERVER|BACKEND|SITE|APP|HOST|ORIGIN|URL)(?:_[A-Z0-9]+)*$|^(?:api|server|backend|site)(?:Url|URL|Base|Host|Origin|Root)$|^origin$/;

/** A constant, a setting of the environment or the page's own address; not `baseUrl` or `settings.apiUrl`, which may be anybody's. */
function isServerAddress(node: SyntaxNode | undefined, name: string): boolean {
  if (node === undefined || !addressName.test(name)) return false;
  if (!/MemberExpression$/.test(node.type)) return node.type === "Identifier";
  return /^(?:env|location|window|self|globalThis)$/.test(nameOf(node.object) ?? "");
}

function literal(text: string): string {
  return withoutGaps(text);
}

/** The last name of an expression: `id` for `user.id`, `encode` for `encode(x)`. */
export function nameOf(node: unknown): string | undefined {
  let at = unwrapped(node);
  while (at?.type === "CallExpression" || at?.type === "OptionalCallExpression") at = unwrapped(at.callee);
  if (at?.type === "Identifier") return at.name as string;
  if (at !== undefined && /MemberExpression$/.test(at.type) && at.computed !== true)
    return nameOf(at.property);
  return undefined;
}

const wrappers: ReadonlySet<string> = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "ParenthesizedExpression",
  "AwaitExpression",
]);

/** The expression without wrappers that do not change its value. */
export function unwrapped(node: unknown): SyntaxNode | undefined {
  let at = isNode(node) ? node : undefined;
  while (at !== undefined && wrappers.has(at.type)) {
    const inner: unknown = at.expression ?? at.argument;
    at = isNode(inner) ? inner : undefined;
  }
  return at;
}

/** The literal properties of an object; undefined if it may have others. */
export function propertiesOf(
  node: unknown,
): { readonly all: boolean; get(name: string): SyntaxNode | undefined } | undefined {
  const object = unwrapped(node);
  if (object?.type !== "ObjectExpression") return undefined;
  const properties = object.properties as SyntaxNode[];
  return {
    all: properties.every(({ type, computed }) => type !== "SpreadElement" && computed !== true),
    get: (name) => {
      const found = properties.find(({ key }) => isNode(key) && (key.name === name || key.value === name));
      return found === undefined || found.type === "ObjectMethod" ? found : unwrapped(found.value);
    },
  };
}
