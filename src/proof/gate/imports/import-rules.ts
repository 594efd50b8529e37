import { readJson } from "../reading/read-json.ts";
import type { Merge } from "../source-tree.ts";
import { readPackage } from "./project-packages.ts";

const governing = /(?:^|\/)(?:package|(?:ts|js)config(?:[.-][\w.-]+)?)\.json$/;

/** True for files that decide how imports in other files resolve. */
export function governsImports(path: string): boolean {
  return governing.test(path);
}

/** True if imports in unchanged scripts may break or resolve to other files than before. */
export function mayDivertImports({ base, result, changed }: Merge): boolean {
  return changed.some(
    ({ path, status }) =>
      status === "deleted" || (governsImports(path) && !sayTheSame(path, base.text(path), result.text(path))),
  );
}

function sayTheSame(path: string, before = "", after = ""): boolean {
  return path.endsWith("package.json") ? samePackage(before, after) : sameAliases(before, after);
}

/** Added dependencies break no import. */
function samePackage(before: string, after: string): boolean {
  const [old, now] = [readPackage("", before), readPackage("", after)];
  if (old === undefined || now === undefined) return false;
  const rest = ({ name, exports, imports, mains }: typeof old) =>
    JSON.stringify([name, exports, imports, mains]);
  return rest(old) === rest(now) && [...old.dependencies].every((name) => now.dependencies.has(name));
}

function sameAliases(before: string, after: string): boolean {
  const [old, now] = [aliasesIn(before), aliasesIn(after)];
  return old !== undefined && old === now;
}

function aliasesIn(text: string): string | undefined {
  const result = readJson(text, { comments: true });
  if ("fault" in result || typeof result.document !== "object" || result.document === null) return undefined;
  const { extends: parents, compilerOptions } = result.document as Readonly<Record<string, unknown>>;
  const { baseUrl, paths } = (compilerOptions ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify([parents, baseUrl, paths]);
}
