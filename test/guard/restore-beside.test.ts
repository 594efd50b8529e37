import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { operate } from "../../src/engine/operate.ts";
import { mainWatch } from "../../src/guard/trees/main-watch.ts";
import { eachStrayGround } from "../support/each-stray-ground.ts";
import type { Dispatched } from "../support/guarded-repository.ts";
import { person } from "../support/memory-engine.ts";
import { ended, refIn } from "../support/stray-ground.ts";

const ground = eachStrayGround();
const { at, text, status, mcp, calls, said } = ground;

describe("possible changes by others are only reported", () => {
  const release = (task: string) =>
    ground.repository.withEngine((engine) => operate(engine, "release", { task }, person));

  it.each(["has", "had when the call began", "had for a while meanwhile"])(
    "in the lock that another task %s",
    async (when) => {
      if (!when.includes("meanwhile")) await ground.repository.dispatch("T-B", ["src/b/**"]);
      expect(await said(mcp())).toBe("allowed");
      if (when.includes("meanwhile")) await ground.repository.dispatch("T-B", ["src/b/**"]);
      ground.repository.write("src/b/x.ts", "the other task's");
      ground.repository.write("docs/guide.md", "trampled");
      if (when !== "has") await release("T-B");
      const message = await said(ended(mcp()));
      expect(message).toContain("`src/b/x.ts` (it is in another task's lock, `src/b/**`)");
      expect([text("src/b/x.ts"), text("docs/guide.md")]).toEqual(["the other task's", "x\n"]);
    },
  );

  it("but not in one that was over before", async () => {
    await ground.repository.dispatch("T-B", ["src/b/**"]);
    await release("T-B");
    expect(await calls(() => ground.repository.write("src/b/x.ts", "trampled"))).toContain("put back");
    expect(text("src/b/x.ts")).toBe("x\n");
  });

  it("with `guard.unclaimed: locked` all unlocked files, except protected ones", async () => {
    ground.repository.write(".lockstep/config.yaml", "guard: { unclaimed: locked }\n");
    const message = await calls(() => {
      ground.repository.write("README.md", "perhaps a subagent's");
      ground.repository.write(".mcp.json", "{}");
    });
    expect(message).toMatch(/not put back: `README.md`/);
    expect(text("README.md")).toBe("perhaps a subagent's");
    expect(existsSync(at(".mcp.json"))).toBe(false);
  });

  it("files that existed before the call, and are listed only now", async () => {
    ground.repository.write(".gitignore", "x\nsecrets\n");
    ground.repository.git("commit", "-qam", "ignored");
    ground.repository.write("secrets/key", "a person's");
    mkdirSync(at("src/a/made"));
    ground.repository.write("src/a/made/old.ts", "made before");
    await later();
    const message = await calls(() => {
      ground.repository.write(".gitignore", "x\n");
      renameSync(at("src/a/made"), at("docs/made"));
    });
    expect(message).toMatch(/not put back: `docs\/made\/old.ts` \(it is older than the call/);
    expect(text("secrets/key")).toBe("a person's");
  });

  it("a branch that was moved, with the files that changed with it", async () => {
    const message = await calls(() => {
      ground.repository.write("README.md", "committed");
      ground.repository.git("commit", "-qam", "another commit");
      ground.repository.write("docs/guide.md", "trampled");
    });
    expect(message).toMatch(/not put back: `README.md` \(HEAD was moved from \w{12} to \w{12}\)/);
    expect([text("README.md"), text("docs/guide.md")]).toEqual(["committed", "x\n"]);
  });

  it("changes that only git's index has", async () => {
    ground.repository.write("README.md", "a person's");
    const message = await calls(() => ground.repository.git("add", "README.md"));
    expect(message).toMatch(/not put back: `README.md` \(only git's index has changed\)/);
    expect(status()).toBe("M  README.md");
  });

  it("files that were too large to be copied, or are too large to be kept", async () => {
    ground.repository.write("large.bin", "");
    truncateSync(at("large.bin"), 51 * 1024 * 1024);
    const message = await calls(() => {
      writeFileSync(at("large.bin"), "trampled");
      truncateSync(at("README.md"), 51 * 1024 * 1024);
      ground.repository.write("docs/guide.md", "trampled");
    });
    expect(message).toContain("`large.bin` (it was not copied before the call: it is larger than 50 MB)");
    expect(message).toContain("`README.md` (its current content cannot be kept: it is larger than 50 MB)");
    expect([text("large.bin"), text("docs/guide.md")]).toEqual(["trampled", "x\n"]);
  });

  it("files that cannot be kept because git fails", async () => {
    ground.repository.write(".git/refs/lockstep/strayed", "in the way");
    const message = await calls(() => ground.repository.write("README.md", "trampled"));
    expect(message).toMatch(/not put back: `README.md` \(it could not be put back: .*strayed/);
    expect(text("README.md")).toBe("trampled");
    expect(await ground.strayed()).toMatchObject([{ target: "README.md" }]);
  });

  it("files that were written again before they could be restored", async () => {
    const folder = at(".git/trees");
    mkdirSync(folder);
    const watch = mainWatch({ gitFolder: at(".git"), checkouts: [] }, { path: folder, open: () => folder });
    await watch.remember("call", ground.repository.path);
    for (const path of ["README.md", "docs/guide.md"]) ground.repository.write(path, "trampled");
    expect(await watch.compare("call")).toMatchObject({ paths: ["README.md", "docs/guide.md"] });
    ground.repository.write("README.md", "a person's");
    const undone = await watch.undo("call", ["README.md", "docs/guide.md"], null);
    expect(undone.left).toEqual([{ path: "README.md", why: "it has changed again since" }]);
    expect([text("README.md"), text("docs/guide.md")]).toEqual(["a person's", "x\n"]);
  });
});

/** Longer than the granularity of the file system's clock. */
const later = () => new Promise((resolve) => setTimeout(resolve, 150));

describe("two calls at the same time", () => {
  let other: Dispatched;
  beforeEach(async () => {
    other = await ground.repository.dispatch("T-B", ["src/b/**"]);
  });
  const second = () => mcp({}, { session_id: "s2", tool_use_id: "t2" });

  it("leave each other's changes alone, and restore other files only once", async () => {
    expect(await said(mcp())).toBe("allowed");
    expect(await said(second(), { by: other })).toBe("allowed");
    ground.repository.write("src/a/x.ts", "the first one's");
    ground.repository.write("src/b/x.ts", "the second one's");
    ground.repository.write("README.md", "by one of them");
    expect(await said(ended(mcp()))).toMatch(/`README.md`, `src\/b\/x.ts`; Lockstep put back the files/);
    expect(await said(ended(second()), { by: other })).not.toContain("README.md");
    expect([text("src/a/x.ts"), text("src/b/x.ts")]).toEqual(["the first one's", "the second one's"]);
    expect(text("README.md")).toBe("x\n");
  });

  it.each(["changed", "made", "removed"])(
    "do not restore what was %s by the first before the second began",
    async (how) => {
      const tree = () => [existsSync(at("made")), existsSync(at("README.md")) && text("README.md")];
      expect(await said(mcp())).toBe("allowed");
      if (how === "changed") ground.repository.write("README.md", "trampled");
      if (how === "made") ground.repository.write("made", "strayed");
      if (how === "removed") rmSync(at("README.md"));
      expect(await said(second(), { by: other })).toBe("allowed");
      expect(await said(ended(mcp()))).toContain("put back");
      expect(tree()).toEqual([false, "x\n"]);
      expect(await said(ended(second()), { by: other })).toBe("allowed");
      expect(tree()).toEqual([false, "x\n"]);
    },
  );
});

describe("an edit by a person", () => {
  it("between two calls is kept", async () => {
    expect(await calls(() => {})).toBe("allowed");
    ground.repository.write("docs/guide.md", "a person's");
    expect(await calls(() => {}, mcp({}, { tool_use_id: "t2" }))).toBe("allowed");
    expect(text("docs/guide.md")).toBe("a person's");
  });

  it("during a command in the sandbox is kept: those files were read-only for the command", async () => {
    const folder = at(".git/trees");
    mkdirSync(folder);
    const watch = mainWatch({ gitFolder: at(".git"), checkouts: [] }, { path: folder, open: () => folder });
    await watch.remember("call", ground.repository.path, {
      readOnly: { closed: ["docs"], unmountable: ["link"] },
    });
    ground.repository.write("README.md", "a person's");
    rmSync(at("docs/guide.md"));
    ground.repository.write("docs/new.md", "a person's, where the command could not write");
    ground.repository.write("strayed.txt", "new");
    expect(await watch.compare("call")).toMatchObject({ paths: ["strayed.txt"] });
  });
});

describe("repositories of other kinds", () => {
  it("files of a submodule are reported, and kept", async () => {
    const from = `${ground.repository.path}-tree`;
    mkdirSync(from);
    ground.repository.git("-C", from, "init", "-q");
    writeFileSync(join(from, "lib.ts"), "x\n");
    ground.repository.git("-C", from, "add", "-A");
    ground.repository.git("-C", from, "commit", "-qm", "lib");
    ground.repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "lib");
    ground.repository.git("commit", "-qm", "with a submodule");
    const message = await calls(() => {
      ground.repository.write("lib/lib.ts", "trampled");
      ground.repository.write("README.md", "trampled");
    });
    expect(message).toMatch(/`lib\/lib.ts` \([^)]*nested git repository\)/);
    expect([text("lib/lib.ts"), text("README.md")]).toEqual(["trampled", "x\n"]);
  });

  it("a new repository in the project is reported, and kept", async () => {
    const message = await calls(() => {
      ground.repository.git("init", "-q", "nested");
      ground.repository.write("nested/x", "new");
    });
    expect(message).toMatch(/`nested\/` \([^)]*nested git repository\)/);
  });

  it("a linked worktree is restored like the main checkout, without effect on the other", async () => {
    const tree = `${ground.repository.path}-tree`;
    ground.repository.git("worktree", "add", "-q", tree, "-b", "w1");
    writeFileSync(join(tree, "README.md"), "a person's, there");
    const call = mcp({}, { cwd: tree });
    const message = await calls(
      () => {
        writeFileSync(join(tree, "README.md"), "trampled");
        writeFileSync(join(tree, "made"), "new");
        ground.repository.write("docs/guide.md", "a person's, here");
        ground.repository.write(".git/hooks/pre-commit", "evil");
      },
      call,
      { folder: tree },
    );
    expect(message).not.toContain("guide.md");
    expect(readFileSync(join(tree, "README.md"), "utf8")).toBe("a person's, there");
    expect(existsSync(join(tree, "made"))).toBe(false);
    expect(existsSync(at(".git/hooks/pre-commit"))).toBe(false);
    expect(text("docs/guide.md")).toBe("a person's, here");
    expect(ground.repository.git("show", `${refIn(message)}:README.md`)).toBe("trampled");
  });

  it("a worktree inside the project does not count as the main checkout's files", async () => {
    ground.repository.git("worktree", "add", "-q", ".claude/worktrees/w1", "-b", "w1");
    const message = await calls(() => {
      ground.repository.write(".claude/worktrees/w1/README.md", "another agent's");
      ground.repository.write("README.md", "trampled");
    });
    expect(message).not.toContain("worktrees");
    expect(text(".claude/worktrees/w1/README.md")).toBe("another agent's");
  });

  it("of a project below the top of its repository only the project is restored", async () => {
    for (const path of ["api/.lockstep/config.yaml", "api/src/a/x.ts", "api/y.ts"])
      ground.repository.write(path, "");
    ground.repository.git("add", "-fA", "api");
    ground.repository.git("commit", "-qm", "a project below");
    ground.repository.write("api/notes", "a person's");
    const message = await calls(
      () => {
        for (const path of ["api/y.ts", "api/notes", "README.md"]) ground.repository.write(path, "trampled");
        ground.repository.write("api/src/a/x.ts", "mine");
      },
      mcp({}, { cwd: at("api") }),
      { folder: at("api") },
    );
    expect(message).toContain("`../README.md` (it is outside the project)");
    expect(["api/y.ts", "api/notes", "api/src/a/x.ts"].map(text)).toEqual(["", "a person's", "mine"]);
    expect(ground.repository.git("show", `${refIn(message)}:api/notes`)).toBe("trampled");
  });

  it("files that a sparse checkout omits are not created", async () => {
    ground.repository.git("sparse-checkout", "set", "src");
    const message = await calls(() => {
      ground.repository.write("docs/guide.md", "made here");
      rmSync(at("src/b/x.ts"));
    });
    expect(message).toContain("put back");
    expect([existsSync(at("docs")), text("src/b/x.ts")]).toEqual([false, "x\n"]);
    expect(status()).toBe("");
  });

  it("without a commit only copied files can be restored", async () => {
    ground.repository.git("checkout", "-q", "--orphan", "fresh");
    const message = await calls(() => {
      ground.repository.write("README.md", "trampled");
      ground.repository.write("made", "new");
    });
    expect(message).toContain("put back");
    expect([text("README.md"), existsSync(at("made"))]).toEqual(["x\n", false]);
  });
});
