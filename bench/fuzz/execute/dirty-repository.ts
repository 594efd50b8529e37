import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A repository with work of several people, next to a home and a foreign folder. */
export interface DirtyRepository extends Disposable {
  /** The parent of all three. */
  readonly base: string;
  readonly root: string;
  readonly home: string;
}

const old = new Date("2026-01-01T00:00:00Z");

const tracked = {
  "src/a/ok.ts": "ok\n",
  "src/a/in.ts": "in\nx\n",
  "src/a/x.ts": "x\ny\nz\n",
  "src/a/a b.ts": "with a space\n",
  "src/a/deep/y.ts": "y\n",
  "src/a/list.txt": "src/a/ok.ts\nsrc/a/in.ts\n",
  "src/a/others.txt": "src/b/x.ts\ndocs/guide.md\n",
  "src/a/fix.diff": "--- a/src/a/x.ts\n+++ b/src/a/x.ts\n@@ -1,3 +1,3 @@\n x\n-y\n+Y\n z\n",
  "src/b/x.ts": "b\n",
  "src/b/y.ts": "b\n",
  "docs/guide.md": "guide\n",
  "test/a.test.ts": "test\n",
  "tools/gen.go": "package main\n",
  "package.json": "{}\n",
  "README.md": "read\n",
  "gen.sh": "echo gen\n",
  Makefile: "all:\n\techo all\n",
  "in.json": "{}\n",
  "p.diff": "--- a/src/b/x.ts\n+++ b/src/b/x.ts\n@@ -1 +1 @@\n-b\n+B\n",
  ".gitignore": "build/\n.env\n*.log\n",
};
const staged = { "package.json": '{"staged":true}\n', "docs/staged.md": "staged\n" };
const edited = { "src/a/x.ts": "x\ny\nz\nedited\n", "src/b/x.ts": "b\nedited\n", "README.md": "edited\n" };
const untracked = {
  "src/a/new.ts": "new\n",
  "src/b/untracked.ts": "untracked\n",
  "notes.txt": "notes\n",
  "build/out.js": "built\n",
  ".env": "KEY=1\n",
};
const links = {
  "src/a/link-b": "../b",
  "src/a/lf": "../b/x.ts",
  "src/a/dangling": "../b/none.ts",
  "src/a/up": "../..",
  "src/a/here": "x.ts",
  "docs/into": "../src/a",
  out: "../beside",
};
const around = {
  "home/notes": "notes\n",
  "home/.gitconfig": "[user]\n\tname = t\n\temail = t@localhost\n",
  "beside/hosts": "hosts\n",
  "beside/file": "file\n",
};

export function dirtyRepository(folder: string): DirtyRepository {
  mkdirSync(folder, { recursive: true });
  const base = realpathSync(mkdtempSync(join(folder, "lockstep-execute-")));
  const [root, home] = [join(base, "repo"), join(base, "home")];
  const put = (below: string, files: Readonly<Record<string, string>>) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(below, file)), { recursive: true });
      writeFileSync(join(below, file), text);
    }
  };
  const git = (...words: string[]) =>
    execFileSync("git", words, {
      cwd: root,
      env: {
        ...{ PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
        ...{ GIT_AUTHOR_DATE: old.toISOString(), GIT_COMMITTER_DATE: old.toISOString() },
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  put(base, around);
  put(root, tracked);
  for (const [path, to] of Object.entries(links)) symlinkSync(to, join(root, path));
  git("init", "-q", "-b", "main", "--template=");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("branch", "other");
  git("tag", "v1");
  put(root, { "src/a/ok.ts": "ok\nsecond\n" });
  git("commit", "-qam", "second");
  put(root, { "src/b/y.ts": "set aside\n" });
  git("stash");
  put(root, staged);
  git("add", "-A");
  put(root, { ...edited, ...untracked });
  return { base, root, home, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}
