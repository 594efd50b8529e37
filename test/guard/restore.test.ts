import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eachStrayGround } from "../support/each-stray-ground.ts";
import { ended, refIn } from "../support/stray-ground.ts";

const ground = eachStrayGround();
const { at, text, status, mcp, calls } = ground;

describe("an unknown tool", () => {
  it.each([
    ["a key without a meaning", { where: "docs/guide.md" }],
    ["a key with two words", { pathInProject: "docs/guide.md", note: "x" }],
    ["nested keys", { request: { target: { name: "guide", in: "docs" } } }],
    ["numbers only", { id: 7 }],
    ["no input", {}],
  ])("is compared afterwards, and changes outside the lock are restored: %s", async (_, input) => {
    const message = await calls(() => {
      ground.repository.write("docs/guide.md", "trampled");
      ground.repository.write("src/a/mine.ts", "mine");
    }, mcp(input));
    expect(message).toMatch(/^R-PW-001: this call changed files outside the lock scope: `docs\/guide\.md`;/);
    expect(message).toContain("put back");
    expect(message).toMatch(/`lockstep widen T-A docs\/guide\.md --why "…"`/);
    expect(text("docs/guide.md")).toBe("x\n");
    expect(text("src/a/mine.ts")).toBe("mine");
    expect(ground.repository.git("show", `${refIn(message)}:docs/guide.md`)).toBe("trampled");
    expect(await ground.strayed()).toMatchObject([
      { target: "docs/guide.md", reason: expect.stringContaining(refIn(message)) },
    ]);
  });

  it("is restored like a command with unknown writes", async () => {
    ground.repository.write(".lockstep/config.yaml", "guard: { opaque: verify }\n");
    const command = mcp({ command: "./gen.sh" }, { tool_name: "Bash" });
    expect(await calls(() => ground.repository.write("README.md", "trampled"), command)).toContain(
      "put back",
    );
    expect(text("README.md")).toBe("x\n");
  });

  it("is not compared if its name says that it reads", async () => {
    const reading = mcp({ where: "docs/guide.md" }, { tool_name: "mcp__notes__get_note" });
    expect(await calls(() => ground.repository.write("docs/guide.md", "a person's"), reading)).toBe(
      "allowed",
    );
    expect(text("docs/guide.md")).toBe("a person's");
  });

  it("is allowed if it stays in the lock, or touches a file without changing it", async () => {
    ground.repository.write("docs/draft.md", "a person's");
    const message = await calls(() => {
      ground.repository.write("src/a/ok.ts", "y");
      symlinkSync("../b/x.ts", at("src/a/to-b"));
      ground.repository.write("docs/draft.md", "a person's");
      ground.repository.write("docs/guide.md", "x\n");
    });
    expect(message).toBe("allowed");
    expect(readlinkSync(at("src/a/to-b"))).toBe("../b/x.ts");
  });

  it("of a caller without a task is compared too", async () => {
    const call = mcp({}, { agent_id: "other", agent_type: "worker" });
    expect(await ground.repository.guard(call)).toMatchObject({ exit: 0 });
    ground.repository.write("README.md", "trampled");
    ground.repository.write("src/a/x.ts", "the task's own");
    const { stderr } = await ground.repository.guard(ended(call));
    expect(stderr).toMatch(/^R-PW-001: this call changed files in the project without a claimed task/);
    expect(stderr).not.toContain("widen");
    expect([text("README.md"), text("src/a/x.ts")]).toEqual(["x\n", "the task's own"]);
  });
});

describe("changes outside the lock are restored", () => {
  /** Existing work of a person: staged, then edited again; edited; new; deleted. */
  const prepare = () => {
    ground.repository.write("README.md", "staged by a person");
    ground.repository.git("add", "README.md");
    ground.repository.write("README.md", "edited once more");
    ground.repository.write("tools/gen.go", "edited by a person");
    ground.repository.write("notes/plan.txt", "never committed");
    chmodSync(at("notes/plan.txt"), 0o640);
    rmSync(at("p.diff"));
  };
  const attacks: Record<string, () => void> = {
    "a tracked file is deleted": () => rmSync(at("docs/guide.md")),
    "a folder is deleted": () => rmSync(at("docs"), { recursive: true }),
    "a file can be run now": () => chmodSync(at("Makefile"), 0o755),
    "a file cannot be read any more": () => {
      ground.repository.write("Makefile", "y");
      chmodSync(at("Makefile"), 0o000);
    },
    "a file becomes a link": () => {
      rmSync(at("Makefile"));
      symlinkSync("/etc/passwd", at("Makefile"));
    },
    "a link leads elsewhere": () => {
      rmSync(at("out"));
      symlinkSync("/usr", at("out"));
    },
    "a folder becomes a link": () => {
      rmSync(at("docs"), { recursive: true });
      symlinkSync("src/a", at("docs"));
    },
    "a folder becomes a file": () => {
      rmSync(at("docs"), { recursive: true });
      ground.repository.write("docs", "a file");
    },
    "a file becomes a folder": () => {
      rmSync(at("Makefile"));
      ground.repository.write("Makefile/all/new", "y");
    },
    "a folder of new files": () => {
      for (const name of ["a", "b/c", "b/d/e"]) ground.repository.write(`fresh/${name}`, name);
    },
    "names with spaces, lines, quotes and a dash": () => {
      for (const name of [" a b ", "two\nlines", 'q"uote', "-rf", "ü", "back\\slash"])
        ground.repository.write(`odd/${name}`, "new");
      ground.repository.write("-n", "new");
    },
    "what a person edited": () => ground.repository.write("tools/gen.go", "trampled"),
    "what a person staged and edited": () => ground.repository.write("README.md", "trampled"),
    "what a person has not committed": () => ground.repository.write("notes/plan.txt", "trampled"),
    "what a person has not committed is gone": () => rmSync(at("notes"), { recursive: true }),
    "a person's edits are thrown away": () => ground.repository.git("checkout", "--", "tools/gen.go"),
    "a person's edits are stashed": () => rmSync(at("tools/gen.go")),
    "what a person deleted is there again": () => ground.repository.write("p.diff", "x\n"),
    "the same size and the same time": () => {
      const { atime, mtime } = lstatSync(at("Makefile"));
      ground.repository.write("Makefile", "y\n");
      utimesSync(at("Makefile"), atime, mtime);
    },
    "a hard link is written through": () => {
      linkSync(at("Makefile"), at("src/a/hard"));
      ground.repository.write("src/a/hard", "trampled");
      rmSync(at("src/a/hard"));
    },
    "git's index is told not to look": () => {
      ground.repository.git("update-index", "--assume-unchanged", "Makefile");
      ground.repository.git("update-index", "--skip-worktree", "in.json");
      ground.repository.write("Makefile", "trampled");
      ground.repository.write("in.json", "trampled");
    },
    "new files that a changed ignore file hides": () => {
      ground.repository.write(".gitignore", "x\nnode_modules\ncoverage\n.env*\nhidden\n");
      ground.repository.write("hidden/new", "new");
    },
    "new files that git's own ignore file hides": () => {
      ground.repository.write(".git/info/exclude", "hidden\n");
      ground.repository.write("hidden/new", "new");
    },
  };

  /** Every file, with its type and content. */
  const everything = (folder = ground.repository.path, below = ""): Record<string, string> =>
    Object.assign(
      {},
      ...readdirSync(folder, { withFileTypes: true }).map((entry) => {
        const path = `${below}${entry.name}`;
        const file = join(folder, entry.name);
        if (path === ".git") return {};
        if (entry.isDirectory()) return everything(file, `${path}/`);
        const { mode } = lstatSync(file);
        const content = entry.isSymbolicLink() ? readlinkSync(file) : readFileSync(file, "utf8");
        return { [path]: `${mode.toString(8)} ${content}` };
      }),
    );

  it.each(Object.keys(attacks))("%s", async (name) => {
    prepare();
    const before = { files: everything(), status: status(), exclude: text(".git/info/exclude") };
    const message = await calls(attacks[name] as () => void);
    expect(message).toMatch(/^R-PW-001: .*put back/s);
    expect(message).not.toContain("not put back");
    const after = { files: everything(), status: status(), exclude: text(".git/info/exclude") };
    expect(after).toEqual(before);
    expect(ground.repository.git("cat-file", "-t", refIn(message))).toBe("commit");
  });

  it("also in files that git ignores by assume-unchanged or skip-worktree", async () => {
    ground.repository.write("Makefile", "a person's own");
    ground.repository.git("update-index", "--assume-unchanged", "Makefile");
    ground.repository.write("in.json", "a person's own");
    ground.repository.git("update-index", "--skip-worktree", "in.json");
    const message = await calls(() => {
      ground.repository.write("Makefile", "trampled");
      ground.repository.write("in.json", "trampled");
    });
    expect(message).toMatch(/`Makefile`, `in.json`; Lockstep put back the files/);
    expect([text("Makefile"), text("in.json")]).toEqual(["a person's own", "a person's own"]);
  });

  it("also if names are not valid UTF-8", async () => {
    const named = (name: string) => Buffer.concat([Buffer.from(at("docs/")), Buffer.from(name, "latin1")]);
    writeFileSync(named("k\xff"), "tracked");
    ground.repository.git("add", "-A");
    ground.repository.git("commit", "-qm", "odd names");
    writeFileSync(named("p\xfe"), "a person's");
    const message = await calls(() => {
      writeFileSync(named("k\xff"), "trampled");
      writeFileSync(named("p\xfe"), "trampled");
      writeFileSync(named("n\xfd"), "new");
    });
    expect(message).toMatch(/put back/);
    expect(readFileSync(named("k\xff"), "utf8")).toBe("tracked");
    expect(readFileSync(named("p\xfe"), "utf8")).toBe("a person's");
    expect(existsSync(named("n\xfd"))).toBe(false);
  });

  it("and the ref contains exactly those, on top of the state before", async () => {
    prepare();
    const message = await calls(() => {
      ground.repository.write("tools/gen.go", "trampled");
      ground.repository.write("src/a/mine.ts", "mine");
      ground.repository.write("fresh", "new");
    });
    const shows = (what: string) => ground.repository.git("diff", "--name-status", `${what}^`, what);
    expect(shows(refIn(message))).toBe("A\tfresh\nM\ttools/gen.go");
    expect(ground.repository.git("show", `${refIn(message)}^:tools/gen.go`)).toBe("edited by a person");
    expect(ground.repository.git("show", `${refIn(message)}:tools/gen.go`)).toBe("trampled");
    expect(ground.repository.git("diff", "--cached", "--name-only")).toBe("README.md");
  });

  it("with line ends and bytes unchanged, whatever the attributes say", async () => {
    ground.repository.write(".gitattributes", "*.txt text eol=crlf\n*.raw filter=shout\n");
    ground.repository.write("crlf.txt", "one\r\ntwo\r\n");
    ground.repository.write("tracked.raw", "quiet");
    ground.repository.git("add", "-A");
    ground.repository.git("commit", "-qm", "attributes");
    ground.repository.write("mixed.txt", "one\r\ntwo\n");
    ground.repository.write("loud.raw", "quiet");
    ground.repository.git("config", "filter.shout.clean", `touch ${at(".git/ran")}; tr a-z A-Z`);
    ground.repository.git("config", "filter.shout.smudge", `touch ${at(".git/ran")}; cat`);
    const message = await calls(() => {
      for (const path of ["crlf.txt", "mixed.txt", "loud.raw"]) ground.repository.write(path, "trampled");
      ground.repository.write("tracked.raw", "LOUD!");
    });
    expect(message).toContain("not put back: `tracked.raw` (git would run a filter to write it)");
    expect([text("crlf.txt"), text("mixed.txt"), text("loud.raw")]).toEqual([
      "one\r\ntwo\r\n",
      "one\r\ntwo\n",
      "quiet",
    ]);
    expect(existsSync(at(".git/ran"))).toBe(false);
  });

  it("and nothing behind a link, whatever git's index contains", async () => {
    symlinkSync("src/a", at("elsewhere"));
    const id = ground.repository.git("rev-parse", "HEAD:README.md");
    await calls(() => {
      ground.repository.git("update-index", "--add", "--cacheinfo", `100644,${id},elsewhere/ok.ts`);
      ground.repository.write("README.md", "trampled");
    });
    expect([text("README.md"), text("src/a/ok.ts")]).toEqual(["x\n", "x\n"]);
  });

  it("including files that control execution: git's settings and hooks, and the clients' own", async () => {
    ground.repository.write(".gitignore", ".claude\n");
    ground.repository.git("commit", "-qam", "ignored");
    ground.repository.write(".claude/settings.local.json", "{}");
    const config = text(".git/config");
    const message = await calls(() => {
      ground.repository.write(".git/config", `${config}[core]\n\tfsmonitor = evil\n`);
      ground.repository.write(".git/hooks/pre-commit", "evil");
      ground.repository.write(".claude/settings.local.json", '{"hooks": {}}');
      ground.repository.write(".claude/skills/evil/SKILL.md", "evil");
      ground.repository.write(".mcp.json", "{}");
    });
    expect(message).not.toContain("not put back");
    expect([text(".git/config"), text(".claude/settings.local.json")]).toEqual([config, "{}"]);
    for (const path of [".git/hooks/pre-commit", ".claude/skills", ".mcp.json"])
      expect(existsSync(at(path))).toBe(false);
    expect(ground.repository.git("show", `${refIn(message)}:dot-git/hooks/pre-commit`)).toBe("evil");
  });
});
