import type { Disk, Place } from "../../core/paths/place.ts";
import { readEntries, Scope } from "../../core/paths/scope.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { analyzeCommand } from "../../core/shell/analyze.ts";
import { type CommandLimits, judgeCommand, type Objection } from "../../core/shell/judge-command.ts";
import { type TaughtRow, taughtPrograms } from "../../core/shell/programs/row/taught.ts";
import { knownParts } from "../../core/shell/text.ts";
import type { Because, ShellAnalysis } from "../../core/shell/types.ts";
import { projectPath, targetsOf } from "../../core/shell/write-targets.ts";
import { nodeDisk } from "../../workspace/files/disk.ts";
import { currentFolder, findProject, type Project } from "../../workspace/files/find-project.ts";
import { mayBeRef } from "../../workspace/files/may-be-ref.ts";
import { systemTemporaryFolders } from "../../workspace/files/temporary-folders.ts";
import { scopeFromHere } from "../open/scope-from-here.ts";
import { writeAll } from "../output/descriptor.ts";
import { style } from "../output/style.ts";
import { printable } from "../output/table.ts";
import { tellRefusal } from "../output/verdicts.ts";
import type { ProgramsInside } from "./programs-inside.ts";
import { taughtRows } from "./taught-rows.ts";

interface ExplainOptions {
  readonly scope?: readonly string[];
  readonly others?: readonly string[];
  readonly task?: string;
  readonly why?: boolean;
  readonly json?: boolean;
}

interface Limits {
  readonly lock: Scope;
  readonly others: Scope;
  readonly forbidden: Scope;
  readonly session?: string | undefined;
}

/** `lockstep explain`: how the guard judges a command, and why. */
export async function explainCommand(line: string, options: ExplainOptions): Promise<number> {
  const cwd = currentFolder();
  const project = findProject(cwd);
  const { place } = project;
  const disk = nodeDisk();
  const limits = await readLimits(options, place, disk);
  if (limits !== undefined && "allow" in limits) return tellRefusal(limits, options.json);
  const why = options.why === true;
  const analysis = analyze(line, { cwd, project, disk, why, rows: await taughtRows(place.root) });
  const objections =
    limits === undefined
      ? undefined
      : await judgeWithOutput(analysis, {
          ...limits,
          place: { ...place, cwd },
          disk,
          scratch: systemTemporaryFolders(),
        });
  const programs =
    limits === undefined
      ? undefined
      : await (await import("./programs-inside.ts")).programsInside(analysis, project);
  if (programs?.refused !== undefined) objections?.push({ code: "R-PW-001", reason: programs.refused });
  const explained = { objections, programs, place, why };
  writeAll(1, options.json ? asJson(line, analysis, explained) : asText(analysis, explained));
  return objections !== undefined && objections.length > 0 ? 2 : 0;
}

/** As the guard does: what git ignores may be written as well as the lock. */
async function judgeWithOutput(analysis: ShellAnalysis, limits: CommandLimits): Promise<Objection[]> {
  const objections = judgeCommand(analysis, limits);
  if (objections.length === 0) return [];
  const { ignoredOutput } = await import("../../guard/world/ignored-output.ts");
  const output = await ignoredOutput(objections, limits.place.realRoot ?? limits.place.root, limits);
  return [...(output === undefined ? objections : judgeCommand(analysis, { ...limits, output }))];
}

interface Looking {
  readonly cwd: string;
  readonly project: Project;
  readonly disk: Disk;
  readonly rows: readonly TaughtRow[];
  readonly why: boolean;
}

function analyze(line: string, { cwd, project, disk, rows, why }: Looking): ShellAnalysis {
  const { place, commonFolder } = project;
  return analyzeCommand(line, {
    cwd,
    root: place.root,
    ...(place.home === undefined ? {} : { home: place.home }),
    tmpdir: process.env.TMPDIR ?? "",
    environment: new Set(Object.keys(process.env)),
    disk,
    mayBeRef: (name) => commonFolder === undefined || mayBeRef(commonFolder, name),
    programs: taughtPrograms(rows),
    why,
  });
}

/** The lock to judge by: a task's lock from the ledger, the one from the options, or none. */
async function readLimits(
  options: ExplainOptions,
  place: Place,
  disk: Disk,
): Promise<Limits | Deny | undefined> {
  if (options.task !== undefined) {
    if (options.scope !== undefined || options.others !== undefined)
      return deny("R-IN-001", "give `--task`, or `--scope` and `--others`, not both");
    return (await import("./task-limits.ts")).taskLimits(options.task);
  }
  if (options.scope === undefined) return undefined;
  const lock = readScope(options.scope, place, disk);
  const others = readScope(options.others, place, disk);
  for (const result of [lock, others]) if (typeof result === "string") return deny("R-PD-002", result);
  return { lock: lock as Scope, others: others as Scope, forbidden: new Scope([], place) };
}

function readScope(texts: readonly string[] | undefined, place: Place, disk: Disk): Scope | string {
  const result = readEntries(scopeFromHere(texts ?? []), place, disk);
  return "error" in result
    ? `\`${texts?.[result.index]}\` is not a valid scope: ${result.error}`
    : new Scope(result.entries, place);
}

interface Explained {
  readonly objections: readonly Objection[] | undefined;
  /** Undefined if the command is not judged by a lock. */
  readonly programs: ProgramsInside | undefined;
  readonly place: Place;
  readonly why: boolean;
}

function writesOf(analysis: ShellAnalysis, place: Place) {
  return analysis.writes.flatMap((write) =>
    targetsOf(write, place).map((target) => ({
      action: write.action,
      by: write.by,
      target:
        target.kind === "nowhere" || target.kind === "unresolved"
          ? null
          : projectPath("path" in target ? target.path : target.pattern, place),
      spelled: knownParts(write.target, "…"),
      ...(write.tree ? { tree: true } : {}),
      ...(write.because === undefined ? {} : { because: write.because }),
    })),
  );
}

function asJson(command: string, analysis: ShellAnalysis, explained: Explained): string {
  const { objections, programs, place, why } = explained;
  const document = {
    command,
    programs: analysis.programs,
    writes: writesOf(analysis, place),
    refused: analysis.refusals,
    opaque: analysis.opaque,
    ...(programs === undefined ? {} : { inside: programs.inside, outside: programs.outside }),
    ...(why ? { named: analysis.mentions.map(({ by, text, because }) => ({ by, text, because })) } : {}),
    ...(objections === undefined
      ? {}
      : {
          allow: objections.length === 0,
          reasons: [...new Set(objections.map(({ reason }) => reason))],
          objections,
        }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function asText(analysis: ShellAnalysis, { objections, programs, place, why }: Explained): string {
  const rows: [string, string][] = [["runs", analysis.programs.join(", ") || "nothing"]];
  for (const write of writesOf(analysis, place)) {
    const where = write.target ?? `${write.spelled} (cannot be known before it runs)`;
    const deep = write.tree === true ? " and all below" : "";
    rows.push([verbs[write.action], `${printable(where)}${deep}  ${style.dim(`by ${printable(write.by)}`)}`]);
    if (why) rows.push(because(write.because));
  }
  if (analysis.writes.length === 0) rows.push(["writes", "nothing that the guard can see"]);
  for (const found of programs === undefined || why ? analysis.opaque : []) {
    rows.push(["opaque", `${found.by}: ${found.why}`]);
    if (why) rows.push(because(found.because));
  }
  for (const { by, why: cause } of programs?.inside ?? [])
    rows.push(["inside", `${printable(by)} runs in the sandbox of the lock, because ${cause}`]);
  for (const { by, why: cause } of programs?.outside ?? [])
    rows.push([
      "outside",
      `${printable(by)} runs outside the sandbox, and the tree is compared afterwards: ${cause}`,
    ]);
  for (const found of analysis.refusals) {
    rows.push(["refused", `${found.why} ${style.dim("(to every agent with a task)")}`]);
    if (why) rows.push(because(found.because));
  }
  for (const found of why ? analysis.mentions : [])
    rows.push(["names", printable(found.text)], because(found.because));
  if (objections !== undefined) rows.push(...verdictRows(objections));
  return rows.map(([name, text]) => `${style.bold(name.padEnd(8))}  ${text}\n`).join("");
}

const shownMax = 5;
/** Writes without a program are the shell's own, such as redirections. */
function because(cause: Because | undefined): [string, string] {
  return ["", style.dim(cause === undefined ? "the shell itself" : `${printable(cause.row)}: ${cause.what}`)];
}

const verbs = {
  write: "writes",
  delete: "deletes",
  move: "moves",
  attributes: "alters",
  link: "links",
  folder: "makes",
} as const;

function verdictRows(objections: readonly Objection[]): [string, string][] {
  if (objections.length === 0) return [["verdict", style.green("allowed")]];
  const rows = [...new Set(objections.map(({ code, reason }) => `${style.red(code)}  ${reason}`))];
  const more = rows.length > shownMax ? [`and ${rows.length - shownMax} more`] : [];
  return [...rows.slice(0, shownMax), ...more].map((row, index) => [index === 0 ? "verdict" : "", row]);
}
