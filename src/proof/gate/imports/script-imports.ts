import { lineOf, type Step, type SyntaxNode, walkScript } from "../reading/walk-script.ts";

export interface ScriptImport {
  readonly specifier: string;
  readonly line: number;
  /** `value`: loaded before this script runs; `lazy`: when it gets there; `type`: never. */
  readonly kind: "value" | "lazy" | "type";
  /** In a `try`, so that it may be missing. */
  readonly optional: boolean;
}

/** What a script imports, re-exports and requires under a name that can be read. */
export function importsIn(path: string, program: SyntaxNode): ScriptImport[] {
  const found: (ScriptImport & { readonly locals?: readonly string[] })[] = [];
  const used = new Set<string>();
  let decorated = false;
  let bundledTo = 0;
  walkScript(program, (step) => {
    const { node } = step;
    if (takesRequire(node)) bundledTo = Math.max(bundledTo, node.end);
    const source = sourceOf(step);
    if (source !== undefined && (node.type !== "CallExpression" || node.start >= bundledTo)) {
      const locals = node.type === "ImportDeclaration" ? localsOf(node) : undefined;
      found.push({
        ...source,
        line: lineOf(node),
        optional: step.tried,
        ...(locals === undefined ? {} : { locals }),
      });
    }
    if (node.type === "Decorator") decorated = true;
    if (isValueUse(step)) used.add(node.name as string);
  });
  const declaresOnly = /\.d\.(?:[\w-]+\.)?[cm]?ts$/.test(path);
  // Decorators may keep the types of what they decorate.
  const elides = /\.[cm]?tsx?$/.test(path) && !decorated;
  return found.map(({ locals, ...one }) => {
    const unused =
      elides && locals !== undefined && locals.length > 0 && !locals.some((name) => used.has(name));
    return declaresOnly || unused ? { ...one, kind: "type" } : one;
  });
}

function sourceOf({
  node,
  parent,
  lazy,
  inType,
}: Step): Pick<ScriptImport, "specifier" | "kind"> | undefined {
  const specifier = textOf(specifierOf(node));
  if (specifier === undefined) return undefined;
  return {
    specifier,
    kind:
      isOfType(node) || isTypeKind(parent?.importKind) || inType
        ? "type"
        : isDynamic(node) || lazy
          ? "lazy"
          : "value",
  };
}

function specifierOf(node: SyntaxNode): unknown {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return node.source;
    case "TSExternalModuleReference":
      return node.expression;
    case "CallExpression":
      return isRequire(node) ? (node.arguments as unknown[])[0] : undefined;
    default:
      return undefined;
  }
}

function isRequire({ callee, arguments: given }: SyntaxNode): boolean {
  const { type, name } = callee as SyntaxNode;
  return type === "Identifier" && name === "require" && (given as unknown[]).length === 1;
}

/** Bundlers wrap each module in a function that is handed its own `require`. */
function takesRequire({ params }: SyntaxNode): boolean {
  return (
    Array.isArray(params) &&
    params.some((one: SyntaxNode) => one.type === "Identifier" && one.name === "require")
  );
}

/** `import()` is how a circle is cut on purpose. */
function isDynamic({ type }: SyntaxNode): boolean {
  return type === "ImportExpression";
}

/** `import type …`, `import { type A }` and their exports. */
function isOfType({ type, importKind, exportKind, specifiers }: SyntaxNode): boolean {
  if (type === "TSImportType" || isTypeKind(importKind) || isTypeKind(exportKind)) return true;
  const names = (specifiers ?? []) as SyntaxNode[];
  return names.length > 0 && names.every((one) => isTypeKind(one.importKind) || isTypeKind(one.exportKind));
}

function isTypeKind(kind: unknown): boolean {
  return kind === "type" || kind === "typeof";
}

/** A string, or a template with nothing to fill in. */
export function textOf(node: unknown): string | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  const { type, value, quasis } = node as SyntaxNode;
  if (type === "StringLiteral") return value as string;
  if (type !== "TemplateLiteral" || (quasis as unknown[]).length !== 1) return undefined;
  const [whole] = quasis as { value: { cooked: string } }[];
  return whole?.value.cooked;
}

/** The names that an import brings in and that are not marked as types. */
function localsOf({ specifiers }: SyntaxNode): string[] {
  return (specifiers as SyntaxNode[]).map(({ local }) => (local as SyntaxNode).name as string);
}

/**
 * TypeScript leaves out an import whose names are used in types alone. A name that another binding hides counts
 * as used, which errs towards keeping the import.
 */
function isValueUse({ node, parent, key, inType }: Step): boolean {
  if (node.type !== "Identifier" && node.type !== "JSXIdentifier") return false;
  if (inType || parent === undefined || /^Import.*Specifier$/.test(parent.type)) return false;
  if (parent.computed === true) return true;
  const isName =
    (key === "property" && /MemberExpression$/.test(parent.type)) ||
    (key === "key" && /Property$|Method$/.test(parent.type) && parent.shorthand !== true);
  return !isName;
}
