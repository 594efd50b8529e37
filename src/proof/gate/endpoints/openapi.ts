import type { Pair, YAMLMap } from "yaml";
import type { YamlDocument } from "../../../core/yaml/read-yaml.ts";
import { readYamlFile } from "../reading/read-yaml.ts";
import type { Endpoint } from "./endpoint.ts";
import { methodNames } from "./script-routes.ts";
import { routeSegments } from "./url-path.ts";

/** True for the text of an OpenAPI 3 or Swagger 2 document. */
export function isOpenApi(path: string, text: string): boolean {
  if (!/\.(?:json|ya?ml)$/.test(path)) return false;
  return /^\s*(?:\{\s*)?["']?(?:openapi["']?\s*:\s*["']?3\.|swagger["']?\s*:\s*["']?2\.)/m.test(text);
}

/** The endpoints of a document; none if it cannot be read. */
export async function openApiEndpoints(path: string, text: string): Promise<Endpoint[] | undefined> {
  const result = await readYamlFile(text);
  if ("fault" in result) return undefined;
  return result.documents.flatMap((document) => {
    const prefixes = prefixesIn(document);
    return pairsOf(document.get("paths")).flatMap((one) => {
      const pattern = textOf(one.key);
      if (!pattern.startsWith("/")) return [];
      const methods = methodsOf(one.value);
      return prefixes
        .flatMap((prefix) => routeSegments(prefix + pattern))
        .flatMap((segments) =>
          methods.map(({ method, at }) => ({
            method,
            segments,
            path,
            line: result.lineOf(at ?? startOf(one.key)),
          })),
        );
    });
  });
}

/** All methods if the item has a `$ref` or no known method. */
function methodsOf(item: unknown): { readonly method: string | undefined; readonly at?: number }[] {
  const listed = pairsOf(item).filter(({ key }) => methodNames.has(textOf(key).toLowerCase()));
  if (listed.length === 0) return [{ method: undefined }];
  return listed.map(({ key }) => ({ method: textOf(key).toUpperCase(), at: startOf(key) }));
}

/** The paths of its servers. Behind a proxy the same endpoints are called without them. */
function prefixesIn(document: YamlDocument): string[] {
  const servers = document.get("servers") as { items?: unknown[] } | undefined;
  const urls = (servers?.items ?? []).flatMap((server) =>
    pairsOf(server)
      .filter(({ key }) => textOf(key) === "url")
      .map(({ value }) => textOf(value)),
  );
  const basePath = document.get("basePath");
  const paths = [...urls, ...(typeof basePath === "string" ? [basePath] : [])].map((url) =>
    url.replace(/^https?:\/\/[^/]*/i, "").replace(/\/$/, ""),
  );
  return [...new Set([...paths, ""])];
}

function pairsOf(node: unknown): Pair[] {
  const { items } = (node ?? {}) as Partial<YAMLMap>;
  return (items ?? []).filter((item) => typeof item === "object" && item !== null && "key" in item);
}

function textOf(node: unknown): string {
  const { value } = (node ?? {}) as { value?: unknown };
  return typeof value === "string" ? value : "";
}

function startOf(node: unknown): number {
  return (node as { range?: readonly number[] }).range?.[0] ?? 0;
}
