/** A node of the parser's tree, as far as all nodes are alike. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly loc: { readonly start: { readonly line: number } };
  readonly [key: string]: unknown;
}

export interface Step {
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode | undefined;
  /** The parent's property that it stands in. */
  readonly key: string;
  /** Inside a function: it may never run, and not before the module has loaded. */
  readonly lazy: boolean;
  /** Inside a `try`: the author reckons with a failure. */
  readonly tried: boolean;
  /** Inside a type, which is gone when the program runs. */
  readonly inType: boolean;
}

const withoutNodes: ReadonlySet<string> = new Set([
  "type",
  "start",
  "end",
  "loc",
  "extra",
  "errors",
  "range",
]);

/** Nodes of TypeScript's own that hold values or stand for them. */
const valueNodes: ReadonlySet<string> = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "TSEnumDeclaration",
  "TSEnumBody",
  "TSEnumMember",
  "TSModuleDeclaration",
  "TSModuleBlock",
  "TSParameterProperty",
  "TSExportAssignment",
  "TSImportEqualsDeclaration",
  "TSExternalModuleReference",
  "TSQualifiedName",
]);

/** Every node below and including the root, in the order of the source; no deeper on the stack for deep trees. */
export function walkScript(root: SyntaxNode, visit: (step: Step) => void): void {
  const open: Step[] = [{ node: root, parent: undefined, key: "", lazy: false, tried: false, inType: false }];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    visit(step);
    const { node } = step;
    const lazy = step.lazy || /Function|Method$/.test(node.type);
    const inType = step.inType || (node.type.startsWith("TS") && !valueNodes.has(node.type));
    const from = open.length;
    for (const key in node) {
      if (withoutNodes.has(key)) continue;
      const value = node[key];
      const tried = step.tried || (node.type === "TryStatement" && key === "block");
      for (const child of Array.isArray(value) ? value : [value])
        if (isNode(child)) open.push({ node: child, parent: node, key, lazy, tried, inType });
    }
    reverse(open, from);
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";
}

function reverse(steps: Step[], from: number): void {
  for (let low = from, high = steps.length - 1; low < high; low += 1, high -= 1) {
    const kept = steps[low] as Step;
    steps[low] = steps[high] as Step;
    steps[high] = kept;
  }
}

export function lineOf({ loc }: SyntaxNode): number {
  return loc.start.line;
}
