import { join } from "node:path";
import type { Place } from "../../../src/core/paths/place.ts";
import { readEntries, Scope } from "../../../src/core/paths/scope.ts";
import { analyzeCommand } from "../../../src/core/shell/analyze.ts";
import { judgeCommand } from "../../../src/core/shell/judge-command.ts";
import { nodeDisk } from "../../../src/workspace/files/disk.ts";
import { mayBeRef } from "../../../src/workspace/files/may-be-ref.ts";
import type { DirtyRepository } from "./dirty-repository.ts";
import { changedPaths, type Picture, restore, takePicture } from "./picture.ts";
import { environmentOf, runSandboxed } from "./run-sandboxed.ts";
import type { Executed } from "./tell-executed.ts";

const lock = "src/a";
const current = "refs/heads/main";
const anybodys = ["/tmp", "/var/tmp"];
/** Git's own bookkeeping, which every `git add` and `git commit` changes. Refs are compared by their values. */
const bookkeeping =
  /^repo\/\.git\/(?:index|sharedindex\.\w+|objects|logs|refs|packed-refs|HEAD|[A-Z_]+_(?:HEAD|EDITMSG|MSG)|gc\.(?:log|pid)|info|info\/refs)$|^repo\/\.git\/(?:objects|logs|refs)\//;
/** Caches and histories that tools always write. */
const caches =
  /^home\/(?:go|\.cache|\.npm|\.cargo|\.debug|\.history|\.bash_history|\.local|\.config|\.wget-hsts|\.lesshst|\.sqlite_history)(?:\/|$)/;

/** Judges commands as the guard does for a task that holds src/a/**, and runs them. */
export class JudgedRepository {
  readonly #repository: DirtyRepository;
  readonly #place: Place;
  readonly #environment: ReadonlySet<string>;
  #picture: Picture;

  constructor(repository: DirtyRepository) {
    const { base, root, home } = repository;
    this.#repository = repository;
    this.#place = { root, home };
    this.#environment = new Set(Object.keys(environmentOf(repository)));
    this.#picture = takePicture(base);
  }

  judge(command: string): Pick<Executed, "analysis" | "objections"> {
    const disk = nodeDisk();
    const { root, home } = this.#repository;
    const analysis = analyzeCommand(command, {
      ...{ cwd: root, root, home, disk, tmpdir: "", task: "T-A", environment: this.#environment },
      mayBeRef: (name) => mayBeRef(join(root, ".git"), name),
    });
    const objections = judgeCommand(analysis, {
      ...{ place: this.#place, disk, scratch: anybodys },
      ...{ lock: this.#scope(`${lock}/**`), others: this.#scope("src/b/**"), forbidden: this.#scope() },
    });
    return { analysis, objections };
  }

  /**
   * `/repo`, `/home/user` and `/etc` in a command of the corpora stand for this repository and the folders around it.
   */
  async execute(text: string): Promise<Executed> {
    const { base, root, home } = this.#repository;
    const command = text
      .replaceAll("/repo", root)
      .replaceAll("/home/user", home)
      .replaceAll("/etc/", `${base}/beside/`);
    const judged = this.judge(command);
    const isOpaque = judged.objections.length === 0 && judged.analysis.opaque.length > 0;
    if (isOpaque || changesDevice(command)) return { command, ...judged, tookTooLong: false };
    const end = await runSandboxed(command, this.#repository);
    const after = takePicture(base, this.#picture);
    const changed = this.#outside(after);
    this.#picture = restore(base, this.#picture, after);
    return { command, ...judged, changed, tookTooLong: end === "too long" };
  }

  /** The changes outside the lock. */
  #outside(after: Picture): readonly string[] {
    const files = changedPaths(this.#picture, after).filter(
      (path) => !bookkeeping.test(path) && !caches.test(path) && !isInLock(path),
    );
    return [...files, ...movedRefs(this.#picture, after)];
  }

  #scope(...texts: readonly string[]): Scope {
    const read = readEntries(texts, this.#place);
    if ("error" in read) throw new Error(read.error);
    return new Scope(read.entries, this.#place);
  }
}

function isInLock(path: string): boolean {
  const folder = `repo/${lock}`;
  return path === "repo/src" || path === folder || path.startsWith(`${folder}/`);
}

/**
 * An existing branch, tag or stash must remain; only the current branch moves with a commit. Another branch may be
 * checked out only if it is new.
 */
function movedRefs(before: Picture, after: Picture): readonly string[] {
  const [then, now] = [refsIn(before), refsIn(after)];
  const moved = [...then].filter(([name, at]) => (name === current ? !now.has(name) : now.get(name) !== at));
  const head = /^ref: (.*)$/m.exec(after.get("repo/.git/HEAD")?.content ?? "")?.[1];
  const switched = head === undefined || (head !== current && then.has(head));
  return [...moved.map(([name]) => name), ...(switched ? ["HEAD"] : [])];
}

function refsIn(picture: Picture): ReadonlyMap<string, string> {
  const packed = (picture.get("repo/.git/packed-refs")?.content ?? "")
    .split("\n")
    .flatMap((line): [string, string][] => {
      const [, at, name] = /^([0-9a-f]+) (.+)$/.exec(line) ?? [];
      return at === undefined || name === undefined ? [] : [[name, at]];
    });
  const loose = [...picture].flatMap(([path, { kind, content }]): [string, string][] => {
    const name = /^repo\/\.git\/(refs\/.+)$/.exec(path)?.[1];
    return name === undefined || kind !== "file" ? [] : [[name, content.trim()]];
  });
  return new Map([...packed, ...loose]);
}

/** A device belongs to the machine even in a sandbox: root could change its mode for all users. */
function changesDevice(command: string): boolean {
  return command.replace(/\d*(?:&?>>?\|?|<)\s*\/dev\/\w+/g, "").includes("/dev/");
}
