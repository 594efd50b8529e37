import { counted } from "../../core/text/amounts.ts";
import { countedEndings, countedNames, type GateFinding, type GateResult, judged } from "./gate-result.ts";
import { governsImports, mayDivertImports } from "./imports/import-rules.ts";
import { ImportScan, isScript, type Link } from "./imports/import-scan.ts";
import type { InstalledPackages } from "./imports/module-resolver.ts";
import { type Circle, newCircles } from "./imports/new-circles.ts";
import { fileKind } from "./reading/file-kind.ts";
import { changedBy, type Merge, presentPaths } from "./source-tree.ts";

/** Whether imports can have changed, so that the installed packages matter. */
export function changesImports(merge: Merge): boolean {
  return presentPaths(merge.changed).some(isScript) || mayDivertImports(merge);
}

/** No circular or broken imports may be introduced (S1). Those of the base are reported and do not fail the check. */
export async function checkImports(merge: Merge, installed: InstalledPackages): Promise<GateResult> {
  const diverts = mayDivertImports(merge);
  const present = presentPaths(merge.changed);
  const changed = present.filter(isScript);
  const others = present.filter((path) => fileKind(path) === undefined);
  if (!changesImports(merge))
    return judged("imports", {
      findings: [],
      notes: skippedText(others),
      looked: false,
    });
  const scan = await ImportScan.of(merge, installed);
  const paths = diverts ? withDiverted(scan, merge) : changed;
  const broken = brokenImports(scan, paths, merge);
  const circles = await newCircles(scan, paths);
  const findings = [...broken.found, ...circles.found.map((circle) => asFinding(circle, merge))];
  const followed = scan.followed - scan.unread.length;
  const notes = followed > 0 ? [followedText(followed)] : [];
  if (broken.old.length > 0) notes.push(`broken before: ${countedNames("import", broken.old)}`);
  if (circles.old.length > 0) notes.push(`circular before: ${countedNames("group", circles.old)}`);
  if (circles.more) notes.push("more new cycles are left out");
  const unknown = unknownNames(scan, changed);
  if (unknown.length > 0)
    notes.push(`not checked: ${countedNames("name", unknown)} (not defined in the tree)`);
  if (scan.unread.length > 0)
    notes.push(`not checked: ${countedNames("file", scan.unread)} (does not parse)`);
  notes.push(...skippedText(others));
  return judged("imports", { findings, notes, looked: followed > 0 });
}

function followedText(files: number): string {
  return `imports of ${counted(files, "file")} followed`;
}

function skippedText(others: readonly string[]): string[] {
  if (others.length === 0) return [];
  return [`not checked: ${countedEndings(others)} (neither JS nor TS; set gate.imports)`];
}

/** The changed scripts, and those whose imports resolve to other files because of the change. */
function withDiverted(scan: ImportScan, { result }: Merge): string[] {
  const diverted = scan.diverted();
  return result.paths().filter((path) => isScript(path) && (scan.isChanged(path) || diverted.has(path)));
}

interface Broken {
  readonly found: readonly GateFinding[];
  readonly old: readonly string[];
}

function brokenImports(scan: ImportScan, paths: readonly string[], { result, changed }: Merge): Broken {
  const existing = new Set(result.paths());
  const found: GateFinding[] = [];
  const old: string[] = [];
  for (const path of paths) {
    const reported = new Set<string>();
    const before = new Set(
      scan
        .linksBefore(path)
        .filter(isMissing)
        .map(({ imported }) => imported.specifier),
    );
    for (const link of scan.links(path)) {
      const { specifier, line, optional } = link.imported;
      if (optional || reported.has(specifier) || !mayBeBroken(link)) continue;
      reported.add(specifier);
      const file = scan.fileBefore(specifier, path);
      const gone = file !== undefined && !existing.has(file) ? file : undefined;
      const why = whyBroken(link, gone);
      if (why === undefined) continue;
      if (before.has(specifier) || (gone === undefined && wasMissing(link, scan)))
        old.push(`${path}:${line}`);
      else {
        const message = `imports \`${specifier}\`, which cannot be resolved: ${why}`;
        found.push({ path, line, message, ...causedBy(changed, path, gone) });
      }
    }
  }
  return { found, old };
}

/** The tasks that changed one of these files; else those that changed where imports resolve to. */
function causedBy(
  changed: Merge["changed"],
  ...paths: readonly (string | undefined)[]
): Pick<GateFinding, "tasks"> {
  const direct = changedBy(changed, ...paths);
  if (direct.tasks !== undefined) return direct;
  const diverting = changed.filter(({ path, status }) => status === "deleted" || governsImports(path));
  return changedBy(changed, ...diverting.map(({ path }) => path));
}

function mayBeBroken({ to }: Link): boolean {
  return to.kind === "missing" || (to.kind === "provided" && to.byWorkspace === true);
}

function whyBroken({ to }: Link, gone: string | undefined): string | undefined {
  if (gone !== undefined) return `\`${gone}\` was removed by this change`;
  return to.kind === "missing" ? to.why : undefined;
}

function isMissing({ to }: Link): boolean {
  return to.kind === "missing";
}

/** A package that was missing on the base too is not caused by this change: some tool provides it. */
function wasMissing({ to }: Link, scan: ImportScan): boolean {
  return to.kind === "missing" && to.name !== undefined && scan.wasMissing(to.name);
}

const filesShown = 8;

function asFinding({ path, line, files }: Circle, { changed }: Merge): GateFinding {
  const shown = files.length > filesShown ? [...files.slice(0, filesShown - 1), "…", path] : files;
  return {
    path,
    line,
    message: `closes an import cycle: ${shown.join(" → ")}`,
    ...causedBy(changed, path, ...files),
  };
}

function unknownNames(scan: ImportScan, changed: readonly string[]): string[] {
  const names = changed
    .flatMap((path) => scan.links(path))
    .filter(({ to }) => to.kind === "unknown")
    .map(({ imported }) => imported.specifier);
  return [...new Set(names)];
}
