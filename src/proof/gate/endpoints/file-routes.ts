import { isNode, lineOf, type SyntaxNode } from "../reading/walk-script.ts";
import type { Endpoint } from "./endpoint.ts";
import { methodNames } from "./script-routes.ts";
import { gap, type Segments, wideGap } from "./url-path.ts";

/** The path that Next.js gives a file: `app/api/users/[id]/route.ts`, `pages/api/users/[id].ts`. */
export function filePath(path: string): readonly Segments[] | undefined {
  const [, route] = /(?:^|\/)app\/(?:(.*)\/)?route\.[jt]sx?$/.exec(path) ?? [];
  const [, page] = /(?:^|\/)pages\/(api\/.*)\.[jt]sx?$/.exec(path) ?? [];
  const isRoute = /(?:^|\/)app\/(?:.*\/)?route\.[jt]sx?$/.test(path);
  if (!isRoute && page === undefined) return undefined;
  const folders = (route ?? page?.replace(/(?:^|\/)index$/, "") ?? "").split("/").filter((one) => one !== "");
  const segments = folders.filter((one) => !/^(?:\(.*\)|@.*)$/.test(one)).map(segmentOf);
  return [segments];
}

function segmentOf(folder: string): string {
  if (/^\[?\[\.\.\..+\]\]?$/.test(folder)) return wideGap;
  return folder.replace(/\[[^\]]+\]/g, gap);
}

/** The methods that such a file exports; all methods if that is unknown. */
export function fileEndpoints(path: string, program: SyntaxNode): Endpoint[] {
  const served = filePath(path) ?? [];
  const isPage = /(?:^|\/)pages\/api\//.test(path);
  const exported = isPage
    ? []
    : exportedNames(program).filter(({ name }) => methodNames.has(name.toLowerCase()));
  const methods =
    exported.length > 0
      ? exported.map(({ name, line }) => ({ method: name, line }))
      : [{ method: undefined, line: 1 }];
  return served.flatMap((segments) => methods.map((one) => ({ ...one, segments, path })));
}

function exportedNames({ body }: SyntaxNode): { readonly name: string; readonly line: number }[] {
  return (body as SyntaxNode[]).flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration") return [];
    const line = lineOf(statement);
    const { declaration, specifiers } = statement;
    const named = ((specifiers ?? []) as SyntaxNode[]).map(({ exported }) => exported);
    const declared = isNode(declaration) ? boundBy(declaration) : [];
    return [...named, ...declared].flatMap((node) =>
      isNode(node) && typeof node.name === "string" ? [{ name: node.name, line }] : [],
    );
  });
}

/** `function GET`, `const GET`, `const { GET, POST }`. */
function boundBy({ id, declarations }: SyntaxNode): unknown[] {
  if (declarations === undefined) return [id];
  return (declarations as SyntaxNode[]).flatMap((one) =>
    isNode(one.id) && one.id.type === "ObjectPattern"
      ? (one.id.properties as SyntaxNode[]).map(({ value }) => value)
      : [one.id],
  );
}
