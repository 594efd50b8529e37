import { locate, locateReal, resolveDots } from "../../core/paths/locate.ts";
import type { Disk, Place } from "../../core/paths/place.ts";
import { Scope } from "../../core/paths/scope.ts";
import { analyzeCommand } from "../../core/shell/analyze.ts";
import { judgeCommand, type Objection } from "../../core/shell/judge-command.ts";
import type { Row } from "../../core/shell/programs/row/row.ts";
import { taughtPrograms } from "../../core/shell/programs/row/taught.ts";
import type { RefusalKind, ShellAnalysis } from "../../core/shell/types.ts";
import type { ViolationType } from "./state.ts";

/** What a command is judged by. */
export interface ShellGround {
  readonly place: Place;
  readonly disk: Disk;
  /** Absolute folders that every agent may write. */
  readonly scratch: readonly string[];
  /** The value of TMPDIR, empty if it is not set; absent if unknown. */
  readonly tmpdir?: string;
  /** Names of the variables that are set; if absent, any may be set. */
  readonly environment?: ReadonlySet<string>;
  /** Whether commands whose writes cannot be known may run. */
  readonly opaque?: "sandbox" | "verify" | "deny";
  /** Program rows from the configuration. */
  readonly programs?: readonly Row[];
}

export interface ShellFault {
  readonly type: ViolationType;
  readonly detail: string;
  /** Completes the sentence "Orchestrators MUST NOT …". */
  readonly reason: string;
  readonly delegate: string;
}

const toolsFolder = ".claude/tools";
const forbiddenPrograms = /^(?:rm|git|git-[a-z-]+)$/;
/** These can hide any program, including a forbidden one. */
const hiding: readonly RefusalKind[] = [
  "unparsed",
  "unresolved-command",
  "unknown-code",
  "loader",
  "lockstep",
];

/** Why an orchestrator must not run a command; undefined if it may. */
export function judgeShell(command: string, folder: string, ground: ShellGround): ShellFault | undefined {
  const { place, disk, tmpdir, environment, programs } = ground;
  const analysis = analyzeCommand(command, {
    cwd: folder,
    root: place.root,
    disk,
    orchestrates: true,
    ...(place.home === undefined ? {} : { home: place.home }),
    ...(tmpdir === undefined ? {} : { tmpdir }),
    ...(environment === undefined ? {} : { environment }),
    ...(programs === undefined ? {} : { programs: taughtPrograms(programs) }),
  });
  return (
    dangerous(analysis, folder, place) ??
    hidden(analysis) ??
    writing(analysis, folder, ground) ??
    (ground.opaque === "deny" ? unknowable(analysis) : undefined)
  );
}

function dangerous(analysis: ShellAnalysis, folder: string, place: Place): ShellFault | undefined {
  const program =
    analysis.programs.map(baseName).find((name) => forbiddenPrograms.test(name)) ??
    analysis.opaque.find(({ runsScript }) => runsScript === true)?.by ??
    tool(analysis, folder, place);
  if (program === undefined) return undefined;
  return {
    type: "BASH_DANGEROUS_COMMAND",
    detail: program,
    reason: "run git/rm/validation commands",
    delegate: "developer or qa",
  };
}

/** A file in `.claude/tools/` that is run, directly or by an interpreter. */
function tool({ programs, opaque }: ShellAnalysis, folder: string, place: Place): string | undefined {
  const inTools = (path: string) => {
    const located = locate(path, { ...place, cwd: folder });
    return located.where === "inside" && located.path.startsWith(`${toolsFolder}/`);
  };
  const run = programs.find((name) => name.includes("/") && inTools(name));
  const given = opaque.find(({ script }) => script !== undefined && inTools(script));
  return run ?? (given === undefined ? undefined : `${given.by} ${given.script}`);
}

function hidden({ refusals }: ShellAnalysis): ShellFault | undefined {
  const refusal = refusals.find(({ kind }) => hiding.includes(kind));
  if (refusal === undefined) return undefined;
  return {
    type: "BASH_UNKNOWN_COMMAND",
    detail: refusal.why,
    reason: `run commands that cannot be analysed: ${refusal.why}`,
    delegate: "developer or qa",
  };
}

/** An orchestrator holds no lock, so every write in the project is a violation. */
function writing(analysis: ShellAnalysis, folder: string, ground: ShellGround): ShellFault | undefined {
  const { disk, scratch } = ground;
  const place = { ...ground.place, cwd: folder };
  const nothing = new Scope([], place);
  const found = judgeCommand(
    { ...analysis, refusals: [] },
    { place, disk, scratch, lock: nothing, others: nothing, forbidden: nothing },
  ).find((objection) => concernsProject(objection, ground));
  if (found === undefined) return undefined;
  return {
    type: "BASH_DIRECT_WRITE",
    detail: found.path ?? found.reason,
    reason: `change files from a shell: ${found.path ?? found.reason}`,
    delegate: "developer",
  };
}

/** Protected paths and unknown targets concern the project. Known paths elsewhere do not. */
function concernsProject({ code, path }: Objection, { place, disk }: ShellGround): boolean {
  if (code !== "R-PW-001" || path === undefined) return true;
  const spelled = locate(path, { ...place, cwd: place.root });
  if (spelled.where !== "outside" || spelled.absolute === undefined) return true;
  return locateReal(disk.realPath(resolveDots(spelled.absolute)), place).where === "inside";
}

function unknowable({ opaque: [first] }: ShellAnalysis): ShellFault | undefined {
  if (first === undefined) return undefined;
  return {
    type: "BASH_UNKNOWN_COMMAND",
    detail: first.by,
    reason: `run programs whose writes cannot be known: ${first.by}, ${first.why}`,
    delegate: "developer or qa",
  };
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
