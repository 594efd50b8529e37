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
  for (const path of paths) {
    const told = new Set<string>();
    const before = new Set(
      scan
        .linksBefore(path)
        .filter(isMissing)
        .map(({ imported }) => imported.specifier),
    );
    for (const link of scan.links(path)) {
      const { specifier, line, optional } = link.imported;
      if (optional || told.has(specifier) || !mayBeBroken(link)) continue;
      told.add(specifier);
      const file = scan.fileBefore(specifier, path);
      const gone = file !== undefined && !there.has(file) ? file : undefined;
      const why = whyBroken(link, gone);
      if (why === undefined) continue;
      if (before.has(specifier) || wasMissing(link, scan)) old.push(`${path}:${line}`);
      else {
        const message = `imports \`${specifier}\`, which leads to nothing: ${why}`;
        found.push({ path, line, message, ...blamed(changed, path, gone) });
      }
    }
  }
  return { found, old };
}

/** Whoever changed the script or took the file away; else whoever changed what decides where imports lead. */
function blamed(
  changed: Merge["changed"],
  path: string,
  gone: string | undefined,
): Pick<GateFinding, "tasks"> {
  const direct = changedBy(changed, path, gone);
  if (direct.tasks !== undefined) return direct;
  return changedBy(changed, ...changed.map((one) => one.path).filter(governsImports));
}

function mayBeBroken({ to }: Link): boolean {
  return to.kind === "missing" || (to.kind === "provided" && to.byWorkspace === true);
}

function whyBroken({ to }: Link, gone: string | undefined): string | undefined {
  if (gone !== undefined) return `\`${gone}\` is gone with this change`;
  return to.kind === "missing" ? to.why : undefined;
}

function isMissing({ to }: Link): boolean {
  return to.kind === "missing";
}

/** A package that others miss as well is no news of this change: some tool knows more than the tree does. */
function wasMissing({ to }: Link, scan: ImportScan): boolean {
  return to.kind === "missing" && to.name !== undefined && scan.wasMissing(to.name);
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
