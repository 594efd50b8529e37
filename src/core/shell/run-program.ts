import { resolveDots } from "../paths/locate.ts";
import { callEffects } from "./call-effects.ts";
import type { Machine } from "./machine.ts";
import { obeying, obeysFile } from "./obeyed-files.ts";
import { outputOf } from "./program-output.ts";
import { isAgent } from "./programs/agents/agent-names.ts";
import { anyHook } from "./programs/git/hooks.ts";
import { findProgram, isInterpreter, isShell } from "./programs/programs.ts";
import { folderFrom } from "./resolve-path.ts";
import { foundInProject, mayBeFoundInProject } from "./search-path.ts";
import { known, knownStart, sameText, type Text, unknownText } from "./text.ts";
import type { Call, Input, Program, WorkTree } from "./types.ts";
import { both, type Outcome, type World } from "./world.ts";

const systemFolders =
  /^\/(?:usr\/(?:local\/)?s?bin|s?bin|opt\/homebrew\/bin|snap\/bin|usr\/lib(?:exec)?\/git-core)\/[^/]+$/;
/** Tools inside the project: known by name, but an agent may have changed their files. */
const toolFolders =
  /(?:^|\/)(?:\.?venv|env|virtualenv|\.tox\/[^/]+|node_modules\/\.bin)\/(?:bin\/|Scripts\/)?[^/]+$/;

/** Runs a program by name. A program without a description is opaque. */
export function runProgram(
  m: Machine,
  word: string,
  given: readonly Text[],
  { world, input }: { world: World; input: Input },
): Outcome {
  const name = tableName(m, word, world);
  const args = given.flatMap((arg, index) => severalNames(arg, given[index + 1]));
  const call: Call = {
    name: name ?? word,
    args,
    input,
    task: m.context.task,
    orchestrates: m.context.orchestrates,
    processes: m.context.processes,
    tree: workTree(m, world),
    isOwnRepository: ownRepository(m, world),
  };
  m.report.program(call.name);
  const program = name === undefined ? undefined : programNamed(m, name);
  if (program === undefined) runUnknown(m, call, world);
  else {
    program(call, callEffects(m, call, world));
    // A wildcard may also expand to one name: `ln src/?` then makes a link here.
    const single = { ...call, args: given };
    if (args.length > given.length) program(single, callEffects(m, single, world));
    if (toolFolders.test(word)) m.report.opaque(word, "its file is in the project");
    const by = obeysFile(call, world);
    if (by !== undefined) m.report.opaque(by, obeying);
  }
  const out = outputOf(m, call, world);
  // `mktemp` writes the file whose name it prints.
  if (call.name === "mktemp" && !args.some((arg) => /^-\w*u|^--dry-run/.test(knownStart(arg))))
    m.report.write("mktemp", out ?? unknownText, world, { action: "write", tree: false });
  return call.name === "mkdir" ? afterMkdir(m, args, world) : both(world, out);
}

/** A program with a known name may be a file of the project, or may be replaced by one before it starts. */
export function reportPlace(m: Machine, word: string, world: World): void {
  const file = foundInProject(m, word, world);
  if (file !== undefined) m.report.opaque(file, "its file is in the project");
  else if (!word.includes("/") && m.report.mayRemove && mayBeFoundInProject(m)) {
    // Git must write its own folder, so the hook prefix starts it by a fixed path instead.
    if (word === "git") m.report.hooks([anyHook]);
    else
      m.report.opaque(
        "PATH",
        `it begins with a folder of the project, which may contain \`${word}\` when the command runs`,
      );
  }
}

/** The work tree of the project's own repository, unless the command may have removed something before. */
function workTree({ context, report }: Machine, { cwd }: World): WorkTree | undefined {
  const { disk, root, mayBeRef = () => true } = context;
  if (disk === undefined || cwd === undefined || report.mayRemove) return undefined;
  const kindOf = (path: string) => disk.kindOf(path.startsWith("/") ? path : `${cwd}/${path}`);
  return {
    holds: (path) => isOwn(cwd, root, disk) && path !== "" && kindOf(path) !== "absent",
    isFolder: (path) => kindOf(path) === "folder",
    mayBeRef,
  };
}

/**
 * Only the settings of the project's own repository are protected. Repositories inside the project, or elsewhere,
 * have their own.
 */
function ownRepository({ context }: Machine, { cwd }: World): Call["isOwnRepository"] {
  const { disk, root, checkouts = [] } = context;
  if (disk === undefined) return undefined;
  return (folders) => {
    const folder = folders.reduce((current: string | undefined, one) => folderFrom(one, current), cwd);
    if (folder === undefined) return false;
    return [root, ...checkouts].some((top) => isOwn(folder, top, disk) && !isBare(folder, disk));
  };
}

function isBare(folder: string, disk: NonNullable<Machine["context"]["disk"]>): boolean {
  return disk.kindOf(`${folder}/HEAD`) !== "absent" && disk.kindOf(`${folder}/objects`) !== "absent";
}

/** A repository inside the project has separate refs. */
function isOwn(cwd: string, root: string, disk: NonNullable<Machine["context"]["disk"]>): boolean {
  if (cwd === root) return true;
  if (!cwd.startsWith(`${root}/`) || disk.kindOf(`${cwd}/.git`) !== "absent") return false;
  return isOwn(cwd.slice(0, cwd.lastIndexOf("/")), root, disk);
}

function programNamed({ context }: Machine, name: string): Program | undefined {
  const builtIn = findProgram(name);
  return context.programs === undefined ? builtIn : context.programs(name, builtIn);
}

/** Only `mkdir -p` is sure to succeed, and only if no file is in its way. */
function afterMkdir(m: Machine, args: readonly Text[], world: World): Outcome {
  const made = args
    .filter((arg) => !knownStart(arg).startsWith("-"))
    .map((arg) => folderFrom(arg, world.cwd));
  const folders = made.filter((folder) => folder !== undefined);
  const ok = [{ ...world, folders: new Set([...world.folders, ...folders]) }];
  const parents = args.some((arg) => /^(?:-[a-z]*p|--parents)/.test(knownStart(arg)));
  const certain = parents && folders.length === made.length && folders.every((folder) => isFree(m, folder));
  const verbose = args.some((arg) => /^(?:-[a-z]*v|--verbose)/.test(knownStart(arg)));
  return { ok, fail: certain ? [] : [world], out: verbose ? undefined : [] };
}

function isFree({ context, report }: Machine, folder: string): boolean {
  const above = folder.split("/").map((_, depth, all) => all.slice(0, depth + 1).join("/"));
  return above.every(
    (path) => path === "" || (context.disk?.kindOf(path) !== "file" && !report.writesTo(path)),
  );
}

/** A wildcard may expand to several names: `cp src/?` may copy one file over the other. */
function severalNames(arg: Text, next: Text | undefined): readonly Text[] {
  const wild = arg.some((piece) => piece.kind === "glob");
  return wild && !(next !== undefined && sameText(arg, next)) ? [arg, arg] : [arg];
}

/** The name to look up; undefined for a program that only shares its name with a known one. */
function tableName({ context }: Machine, word: string, world: World): string | undefined {
  const path = word.includes("/") ? systemPath(word, world.cwd) : word;
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
  // A checkout may be in such a folder, too. Its files were not installed.
  const own = path.startsWith(`${context.root}/`);
  const installed = context.home !== undefined && path.startsWith(`${context.home}/.`) && !own;
  if (!word.includes("/") || installed || systemFolders.test(path) || toolFolders.test(word)) return name;
  return isShell(name) || isInterpreter(name) || isAgent(name) ? name : undefined;
}

/** The same file has many spellings: `//bin/rm`, `/usr/bin/../bin/rm`, `/proc/self/root/bin/rm`. */
function systemPath(word: string, cwd: string | undefined): string {
  const absolute = word.startsWith("/") ? word : `${cwd ?? ""}/${word}`;
  return resolveDots(absolute.replace(/^\/+proc\/(?:self|thread-self|\d+)\/root(?=\/)/, ""));
}

/**
 * Nothing is known about the program: its operands count as mentioned, and a shell or interpreter among its words is
 * followed.
 */
function runUnknown(m: Machine, call: Call, world: World): void {
  const effects = callEffects(m, call, world);
  effects.because?.("no row", "describe it in `guard.programs`");
  effects.opaque("nothing is known about this program");
  const inner = call.args.findIndex((arg) => {
    const word = known(arg);
    const base = word?.slice(word.lastIndexOf("/") + 1) ?? "";
    return isShell(base) || isInterpreter(base);
  });
  if (inner >= 0) effects.run(call.args.slice(inner));
  for (const arg of call.args) effects.operand(arg);
  if (call.input.kind === "text") effects.code(call.input.text);
}
