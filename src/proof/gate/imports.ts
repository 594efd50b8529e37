import { countedNames, type GateFinding, type GateResult, gateResult } from "./gate-result.ts";
import { governsImports, ImportScan, type Link } from "./imports/import-scan.ts";
import type { InstalledPackages } from "./imports/module-resolver.ts";
import { type Circle, newCircles } from "./imports/new-circles.ts";
import { fileKind } from "./reading/file-kind.ts";
import { changedBy, type Merge, presentPaths } from "./source-tree.ts";

/** S1: no circular or broken imports introduced. What was so before is told, and fails nothing. */
export async function checkImports(merge: Merge, installed: InstalledPackages): Promise<GateResult> {
  const start = startOf(merge);
  if (start.length === 0) return gateResult("imports", [], ["no JS or TS file was changed"]);
  const scan = await ImportScan.of(merge, installed);
  const paths = scan.reachable(start);
  const broken = brokenImports(scan, paths, merge);
  const circles = newCircles(scan, paths);
  const findings = [...broken.found, ...circles.found.map((circle) => asFinding(circle, merge))];
  const notes = [`the imports of ${paths.length} JS and TS files were followed`];
  if (broken.old.length > 0) notes.push(`broken before: ${countedNames("import", broken.old)}`);
  if (circles.old.length > 0) notes.push(`circular before: ${countedNames("group", circles.old)}`);
  if (circles.more) notes.push("more new circles are left out");
  const unknown = unknownNames(scan, presentPaths(merge.changed));
  if (unknown.length > 0)
    notes.push(`not judged, as the tree alone does not tell: ${countedNames("name", unknown)}`);
  if (scan.unread.length > 0) notes.push(`not parsed: ${countedNames("file", scan.unread)}`);
  return gateResult("imports", findings, notes);
}

/** A file that is gone, or a changed configuration, may break the imports of any script. */
function startOf({ result, changed }: Merge): string[] {
  const breaksOthers = changed.some(({ path, status }) => status === "deleted" || governsImports(path));
  const paths = breaksOthers ? result.paths() : presentPaths(changed);
  return paths.filter((path) => fileKind(path) === "script");
}

interface Broken {
  readonly found: readonly GateFinding[];
  readonly old: readonly string[];
}

function brokenImports(scan: ImportScan, paths: readonly string[], { result, changed }: Merge): Broken {
  const there = new Set(result.paths());
  const found: GateFinding[] = [];
  const old: string[] = [];
  const causes = new Set(paths.flatMap((path) => scan.linksBefore(path).flatMap(causeOf)));
  for (const path of paths) {
    const before = new Map(scan.linksBefore(path).map((link) => [link.imported.specifier, link]));
    for (const link of scan.links(path)) {
      const { specifier, line } = link.imported;
      const file = scan.fileBefore(specifier, path);
      const gone = file !== undefined && !there.has(file) ? file : undefined;
      const why = whyBroken(link, gone);
      if (why === undefined) continue;
      const known =
        before.get(specifier)?.to.kind === "missing" || causeOf(link).some((cause) => causes.has(cause));
      if (known) old.push(`${path}:${line}`);
      else {
        const tasks = changedBy(changed, path, gone);
        const { tasks: others = [] } =
          tasks.tasks === undefined ? changedBy(changed, ...governors(changed)) : tasks;
        const message = `imports \`${specifier}\`, which leads to nothing: ${why}`;
        found.push({ path, line, message, ...(others.length > 0 ? { tasks: others } : {}) });
      }
    }
  }
  return { found, old };
}

function whyBroken({ imported, to }: Link, gone: string | undefined): string | undefined {
  if (imported.optional) return undefined;
  const lost = to.kind === "provided" && to.byWorkspace === true;
  if (gone !== undefined && (to.kind === "missing" || lost)) return `\`${gone}\` is gone with this change`;
  return to.kind === "missing" ? to.why : undefined;
}

function causeOf({ to }: Link): string[] {
  return to.kind === "missing" && to.cause !== undefined ? [to.cause] : [];
}

function governors(changed: Merge["changed"]): string[] {
  return changed.map(({ path }) => path).filter(governsImports);
}

const filesShown = 8;

function asFinding({ path, line, files }: Circle, { changed }: Merge): GateFinding {
  const shown = files.length > filesShown ? [...files.slice(0, filesShown - 1), "…", path] : files;
  return {
    path,
    line,
    message: `closes a circle of imports: ${shown.join(" → ")}`,
    ...changedBy(changed, path),
  };
}

function unknownNames(scan: ImportScan, changed: readonly string[]): string[] {
  const names = changed
    .filter((path) => fileKind(path) === "script")
    .flatMap((path) => scan.links(path))
    .filter(({ to }) => to.kind === "unknown")
    .map(({ imported }) => imported.specifier);
  return [...new Set(names)];
}
