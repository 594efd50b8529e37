import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { operate } from "../src/engine/operate.ts";
import { mainWatch } from "../src/guard/trees/main-watch.ts";
import {
  agentEnvironment,
  type Dispatched,
  type GuardedRepository,
  guardedRepository,
} from "./support/guarded-repository.ts";
import { person } from "./support/memory-engine.ts";

let repository: GuardedRepository;
let own: Dispatched;
beforeEach(async () => {
  repository = guardedRepository();
  own = await repository.dispatch("T-A", ["src/a/**"]);
});
afterEach(() => {
  repository[Symbol.dispose]();
  rmSync(`${repository.path}-tree`, { recursive: true, force: true });
});

const at = (path: string) => join(repository.path, path);
const text = (path: string) => readFileSync(at(path), "utf8");
const status = () => repository.git("status", "--porcelain", "--untracked-files=all");

/** A tool of an MCP server whose arguments have names that nobody knows. */
const mcp = (input: object = { where: "here" }, more: object = {}) => ({
  ...{ session_id: "s1", cwd: repository.path, hook_event_name: "PreToolUse", tool_use_id: "t1" },
  ...{ tool_name: "mcp__notes__publish", tool_input: input, ...more },
});
const post = (call: object) => ({ ...call, hook_event_name: "PostToolUse", tool_response: {} });
const stop = (more: object = {}) => ({
  ...{ session_id: "s1", cwd: repository.path, hook_event_name: "Stop", ...more },
});

interface Options {
  readonly by?: Dispatched;
  readonly folder?: string;
}

const said = async (payload: object, { by = own, folder = repository.path }: Options = {}) => {
  const { exit, stderr, stdout } = await repository.guard(payload, { env: agentEnvironment(by), folder });
  return exit === 0 ? `allowed ${stdout}`.trim() : stderr;
};

/** The call runs, and does this. */
const calls = async (act: () => void, payload: object = mcp(), options: Options = {}) => {
  expect(await said(payload, options)).toBe("allowed");
  act();
  return said(post(payload), options);
};
const refIn = (told: string) => /kept on `(refs\/lockstep\/strayed\/\S+?)`/.exec(told)?.[1] ?? "no ref";
const strayed = async () =>
  (await repository.withEngine(({ ledger }) => ledger.events({ type: "guard.strayed" }))).map(
    ({ data }) => data as { target: string; reason: string },
  );

describe("a tool that nobody knows", () => {
  it.each([
    ["a key that says nothing", { where: "docs/guide.md" }],
    ["a key with two words", { pathInProject: "docs/guide.md", note: "x" }],
    ["nested keys", { request: { target: { name: "guide", in: "docs" } } }],
    ["numbers only", { id: 7 }],
    ["no input", {}],
  ])("is compared afterwards, and what strayed is put back: %s", async (_, input) => {
    const told = await calls(() => {
      repository.write("docs/guide.md", "trampled");
      repository.write("src/a/mine.ts", "mine");
    }, mcp(input));
    expect(told).toMatch(/^R-PW-001: changed outside the lock scope while it ran: `docs\/guide\.md`;/);
    expect(told).toContain("put back");
    expect(told).toMatch(/`lockstep widen T-A docs\/guide\.md --why "…"`/);
    expect(text("docs/guide.md")).toBe("x\n");
    expect(text("src/a/mine.ts")).toBe("mine");
    expect(repository.git("show", `${refIn(told)}:docs/guide.md`)).toBe("trampled");
    expect(await strayed()).toMatchObject([
      { target: "docs/guide.md", reason: expect.stringContaining(refIn(told)) },
    ]);
  });

  it("is not looked at where its name says that it reads", async () => {
    const reading = mcp({ where: "docs/guide.md" }, { tool_name: "mcp__notes__get_note" });
    expect(await calls(() => repository.write("docs/guide.md", "a person's"), reading)).toBe("allowed");
    expect(text("docs/guide.md")).toBe("a person's");
  });

  it("is let alone where it stays in the lock, or touches what it does not change", async () => {
    repository.write("docs/draft.md", "a person's");
    const told = await calls(() => {
      repository.write("src/a/ok.ts", "y");
      symlinkSync("../b/x.ts", at("src/a/to-b"));
      repository.write("docs/draft.md", "a person's");
      repository.write("docs/guide.md", "x\n");
    });
    expect(told).toBe("allowed");
    expect(readlinkSync(at("src/a/to-b"))).toBe("../b/x.ts");
  });

  it("of a caller without a task is compared too", async () => {
    const call = mcp({}, { agent_id: "other", agent_type: "worker" });
    expect(await repository.guard(call)).toMatchObject({ exit: 0 });
    repository.write("README.md", "trampled");
    repository.write("src/a/x.ts", "the task's own");
    const { stderr } = await repository.guard(post(call));
    expect(stderr).toMatch(/^R-PW-001: changed in the project, by a caller without a task/);
    expect(stderr).not.toContain("widen");
    expect([text("README.md"), text("src/a/x.ts")]).toEqual(["x\n", "the task's own"]);
  });
});

describe("what strayed is put back", () => {
  /** What a person has there before: staged, then edited again; edited; new; deleted. */
  const prepare = () => {
    repository.write("README.md", "staged by a person");
    repository.git("add", "README.md");
    repository.write("README.md", "edited once more");
    repository.write("tools/gen.go", "edited by a person");
    repository.write("notes/plan.txt", "never committed");
    chmodSync(at("notes/plan.txt"), 0o640);
    rmSync(at("p.diff"));
  };
  const attacks: Record<string, () => void> = {
    "a tracked file is deleted": () => rmSync(at("docs/guide.md")),
    "a folder is deleted": () => rmSync(at("docs"), { recursive: true }),
    "a file can be run now": () => chmodSync(at("Makefile"), 0o755),
    "a file cannot be read any more": () => {
      repository.write("Makefile", "y");
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
      repository.write("docs", "a file");
    },
    "a file becomes a folder": () => {
      rmSync(at("Makefile"));
      repository.write("Makefile/all/new", "y");
    },
    "a folder of new files": () => {
      for (const name of ["a", "b/c", "b/d/e"]) repository.write(`fresh/${name}`, name);
    },
    "names with spaces, lines, quotes and a dash": () => {
      for (const name of [" a b ", "two\nlines", 'q"uote', "-rf", "ü", "back\\slash"])
        repository.write(`odd/${name}`, "new");
      repository.write("-n", "new");
    },
    "what a person edited": () => repository.write("tools/gen.go", "trampled"),
    "what a person staged and edited": () => repository.write("README.md", "trampled"),
    "what a person has not committed": () => repository.write("notes/plan.txt", "trampled"),
    "what a person has not committed is gone": () => rmSync(at("notes"), { recursive: true }),
    "a person's edits are thrown away": () => repository.git("checkout", "--", "tools/gen.go"),
    "a person's edits are stashed": () => rmSync(at("tools/gen.go")),
    "what a person deleted is there again": () => repository.write("p.diff", "x\n"),
    "the same size and the same time": () => {
      const { atime, mtime } = lstatSync(at("Makefile"));
      repository.write("Makefile", "y\n");
      utimesSync(at("Makefile"), atime, mtime);
    },
    "a hard link is written through": () => {
      linkSync(at("Makefile"), at("src/a/hard"));
      repository.write("src/a/hard", "trampled");
      rmSync(at("src/a/hard"));
    },
    "new files that a changed ignore file hides": () => {
      repository.write(".gitignore", "hidden\n");
      repository.write("hidden/new", "new");
    },
    "new files that git's own ignore file hides": () => {
      repository.write(".git/info/exclude", "hidden\n");
      repository.write("hidden/new", "new");
    },
  };

  /** Every file, with what it is and holds. */
  const everything = (folder = repository.path, below = ""): Record<string, string> =>
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
    const told = await calls(attacks[name] as () => void);
    expect(told).toMatch(/^R-PW-001: .*put back/s);
    expect(told).not.toContain("left as it is");
    const after = { files: everything(), status: status(), exclude: text(".git/info/exclude") };
    expect(after).toEqual(before);
    expect(repository.git("cat-file", "-t", refIn(told))).toBe("commit");
  });

  it("also where names are no text", async () => {
    const named = (name: string) => Buffer.concat([Buffer.from(at("docs/")), Buffer.from(name, "latin1")]);
    writeFileSync(named("k\xff"), "tracked");
    repository.git("add", "-A");
    repository.git("commit", "-qm", "odd names");
    writeFileSync(named("p\xfe"), "a person's");
    const told = await calls(() => {
      writeFileSync(named("k\xff"), "trampled");
      writeFileSync(named("p\xfe"), "trampled");
      writeFileSync(named("n\xfd"), "new");
    });
    expect(told).toMatch(/put back/);
    expect(readFileSync(named("k\xff"), "utf8")).toBe("tracked");
    expect(readFileSync(named("p\xfe"), "utf8")).toBe("a person's");
    expect(existsSync(named("n\xfd"))).toBe(false);
  });

  it("and the ref shows exactly that, beside what was there before", async () => {
    prepare();
    const told = await calls(() => {
      repository.write("tools/gen.go", "trampled");
      repository.write("src/a/mine.ts", "mine");
      repository.write("fresh", "new");
    });
    const shows = (what: string) => repository.git("diff", "--name-status", `${what}^`, what);
    expect(shows(refIn(told))).toBe("A\tfresh\nM\ttools/gen.go");
    expect(repository.git("show", `${refIn(told)}^:tools/gen.go`)).toBe("edited by a person");
    expect(repository.git("show", `${refIn(told)}:tools/gen.go`)).toBe("trampled");
    expect(repository.git("diff", "--cached", "--name-only")).toBe("README.md");
  });

  it("with line ends and bytes as they were, whatever attributes say", async () => {
    repository.write(".gitattributes", "*.txt text eol=crlf\n*.raw filter=shout\n");
    repository.write("crlf.txt", "one\r\ntwo\r\n");
    repository.git("add", "-A");
    repository.git("commit", "-qm", "attributes");
    repository.write("mixed.txt", "one\r\ntwo\n");
    repository.write("loud.raw", "quiet");
    repository.git("config", "filter.shout.clean", `touch ${at(".git/ran")}; tr a-z A-Z`);
    repository.git("config", "filter.shout.smudge", `touch ${at(".git/ran")}; cat`);
    const told = await calls(() => {
      for (const path of ["crlf.txt", "mixed.txt", "loud.raw"]) repository.write(path, "trampled");
    });
    expect(told).toContain("put back");
    expect([text("crlf.txt"), text("mixed.txt"), text("loud.raw")]).toEqual([
      "one\r\ntwo\r\n",
      "one\r\ntwo\n",
      "quiet",
    ]);
    expect(existsSync(at(".git/ran"))).toBe(false);
  });

  it("with what decides about what is run: git's settings and hooks, and the clients' own", async () => {
    repository.write(".gitignore", ".claude\n");
    repository.git("commit", "-qam", "ignored");
    repository.write(".claude/settings.local.json", "{}");
    const config = text(".git/config");
    const told = await calls(() => {
      repository.write(".git/config", `${config}[core]\n\tfsmonitor = evil\n`);
      repository.write(".git/hooks/pre-commit", "evil");
      repository.write(".claude/settings.local.json", '{"hooks": {}}');
      repository.write(".claude/skills/evil/SKILL.md", "evil");
      repository.write(".mcp.json", "{}");
    });
    expect(told).not.toContain("left as it is");
    expect([text(".git/config"), text(".claude/settings.local.json")]).toEqual([config, "{}"]);
    for (const path of [".git/hooks/pre-commit", ".claude/skills", ".mcp.json"])
      expect(existsSync(at(path))).toBe(false);
    expect(repository.git("show", `${refIn(told)}:dot-git/hooks/pre-commit`)).toBe("evil");
  });
});

describe("what may be somebody else's work is only told", () => {
  const release = (task: string) =>
    repository.withEngine((engine) => operate(engine, "release", { task }, person));

  it.each(["has", "had when the call began", "had for a while meanwhile"])(
    "in the lock that another task %s",
    async (when) => {
      if (!when.includes("meanwhile")) await repository.dispatch("T-B", ["src/b/**"]);
      expect(await said(mcp())).toBe("allowed");
      if (when.includes("meanwhile")) await repository.dispatch("T-B", ["src/b/**"]);
      repository.write("src/b/x.ts", "the other task's");
      repository.write("docs/guide.md", "trampled");
      if (when !== "has") await release("T-B");
      const told = await said(post(mcp()));
      expect(told).toContain("`src/b/x.ts` (it lies in another task's lock, `src/b/**`)");
      expect([text("src/b/x.ts"), text("docs/guide.md")]).toEqual(["the other task's", "x\n"]);
    },
  );

  it("but not in one that was over before", async () => {
    await repository.dispatch("T-B", ["src/b/**"]);
    await release("T-B");
    expect(await calls(() => repository.write("src/b/x.ts", "trampled"))).toContain("put back");
    expect(text("src/b/x.ts")).toBe("x\n");
  });

  it("with `guard.unclaimed: locked` all that nobody holds, but for what nobody may write", async () => {
    repository.write(".lockstep/config.yaml", "guard: { unclaimed: locked }\n");
    const told = await calls(() => {
      repository.write("README.md", "perhaps a subagent's");
      repository.write(".mcp.json", "{}");
    });
    expect(told).toMatch(/left as it is: `README.md`/);
    expect(text("README.md")).toBe("perhaps a subagent's");
    expect(existsSync(at(".mcp.json"))).toBe(false);
  });

  it("what was there before the call, and is only listed now", async () => {
    repository.write(".gitignore", "x\nsecrets\n");
    repository.git("commit", "-qam", "ignored");
    repository.write("secrets/key", "a person's");
    mkdirSync(at("src/a/made"));
    repository.write("src/a/made/old.ts", "made before");
    await later();
    const told = await calls(() => {
      repository.write(".gitignore", "x\n");
      renameSync(at("src/a/made"), at("docs/made"));
    });
    expect(told).toMatch(/left as it is: `docs\/made\/old.ts` \(it is older than the call/);
    expect(text("secrets/key")).toBe("a person's");
  });

  it("a branch that was moved, with the files that it moved", async () => {
    const told = await calls(() => {
      repository.write("README.md", "committed");
      repository.git("commit", "-qam", "by whoever");
      repository.write("docs/guide.md", "trampled");
    });
    expect(told).toMatch(/left as it is: `README.md` \(HEAD was moved from \w{12} to \w{12}\)/);
    expect([text("README.md"), text("docs/guide.md")]).toEqual(["committed", "x\n"]);
  });

  it("what only git's index has", async () => {
    repository.write("README.md", "a person's");
    const told = await calls(() => repository.git("add", "README.md"));
    expect(told).toMatch(/left as it is: `README.md` \(only git's index has changed\)/);
    expect(status()).toBe("M  README.md");
  });

  it("what was too large to be copied, or is too large to be kept", async () => {
    repository.write("large.bin", "");
    truncateSync(at("large.bin"), 51 * 1024 * 1024);
    const told = await calls(() => {
      writeFileSync(at("large.bin"), "trampled");
      truncateSync(at("README.md"), 51 * 1024 * 1024);
      repository.write("docs/guide.md", "trampled");
    });
    expect(told).toContain("`large.bin` (it was not copied before, it is larger than 50 MB)");
    expect(told).toContain("`README.md` (what is there now cannot be kept, it is larger than 50 MB)");
    expect([text("large.bin"), text("docs/guide.md")]).toEqual(["trampled", "x\n"]);
  });

  it("what was written again before it could be put back", async () => {
    const folder = at(".git/trees");
    mkdirSync(folder);
    const watch = mainWatch({ gitFolder: at(".git"), checkouts: [] }, () => folder);
    await watch.remember("call", repository.path);
    for (const path of ["README.md", "docs/guide.md"]) repository.write(path, "trampled");
    expect(await watch.compare("call")).toMatchObject({ paths: ["README.md", "docs/guide.md"] });
    repository.write("README.md", "a person's");
    const undone = await watch.undo("call", ["README.md", "docs/guide.md"], null);
    expect(undone.left).toEqual([{ path: "README.md", why: "it was changed again since" }]);
    expect([text("README.md"), text("docs/guide.md")]).toEqual(["a person's", "x\n"]);
  });
});

/** Longer than the clock of a file system is behind. */
const later = () => new Promise((resolve) => setTimeout(resolve, 150));

describe("two calls at the same time", () => {
  let other: Dispatched;
  beforeEach(async () => {
    other = await repository.dispatch("T-B", ["src/b/**"]);
  });
  const second = () => mcp({}, { session_id: "s2", tool_use_id: "t2" });

  it("leave each other's work alone, and put back only once what strayed", async () => {
    expect(await said(mcp())).toBe("allowed");
    expect(await said(second(), { by: other })).toBe("allowed");
    repository.write("src/a/x.ts", "the first one's");
    repository.write("src/b/x.ts", "the second one's");
    repository.write("README.md", "by one of them");
    expect(await said(post(mcp()))).toMatch(/`README.md`, `src\/b\/x.ts`; it was put back/);
    expect(await said(post(second()), { by: other })).not.toContain("README.md");
    expect([text("src/a/x.ts"), text("src/b/x.ts")]).toEqual(["the first one's", "the second one's"]);
    expect(text("README.md")).toBe("x\n");
  });

  it.each(["changed", "made", "removed"])(
    "do not bring back what was %s by the first before the second began",
    async (how) => {
      const tree = () => [existsSync(at("made")), existsSync(at("README.md")) && text("README.md")];
      expect(await said(mcp())).toBe("allowed");
      if (how === "changed") repository.write("README.md", "trampled");
      if (how === "made") repository.write("made", "strayed");
      if (how === "removed") rmSync(at("README.md"));
      expect(await said(second(), { by: other })).toBe("allowed");
      expect(await said(post(mcp()))).toContain("put back");
      expect(tree()).toEqual([false, "x\n"]);
      expect(await said(post(second()), { by: other })).toBe("allowed");
      expect(tree()).toEqual([false, "x\n"]);
    },
  );
});

describe("what a call left running", () => {
  const next = () => mcp({}, { tool_use_id: "t2" });

  it("writes after its end is found by the next call, and put back", async () => {
    expect(await calls(() => {})).toBe("allowed");
    repository.write("docs/guide.md", "written late");
    const told = await calls(() => repository.write("src/a/x.ts", "mine"), next());
    expect(told).toMatch(/while it ran: `docs\/guide.md` \(or since the call before it\); it was put back/);
    expect([text("docs/guide.md"), text("src/a/x.ts")]).toEqual(["x\n", "mine"]);
    expect(await calls(() => {}, next())).toBe("allowed");
  });

  it("is found when the agent stops, and what is written after that is not", async () => {
    expect(await calls(() => {})).toBe("allowed");
    repository.write("docs/guide.md", "written late");
    expect(await said(stop())).toMatch(/R-PW-001: [^;]*`docs\/guide.md`[^;]*; it was put back/);
    expect(text("docs/guide.md")).toBe("x\n");
    expect(await strayed()).toMatchObject([{ target: "docs/guide.md" }]);
    repository.write("docs/guide.md", "a person's");
    expect(await calls(() => {}, next())).toBe("allowed");
    expect(text("docs/guide.md")).toBe("a person's");
  });

  it("is not taken for what a person committed between two calls", async () => {
    expect(await calls(() => {})).toBe("allowed");
    repository.write("docs/guide.md", "a person's");
    repository.git("commit", "-qam", "a person's");
    expect(await calls(() => {}, next())).toBe("allowed");
    expect(text("docs/guide.md")).toBe("a person's");
  });
});

describe("repositories of other kinds", () => {
  it("a submodule's files are told, and left", async () => {
    const from = `${repository.path}-tree`;
    mkdirSync(from);
    repository.git("-C", from, "init", "-q");
    writeFileSync(join(from, "lib.ts"), "x\n");
    repository.git("-C", from, "add", "-A");
    repository.git("-C", from, "commit", "-qm", "lib");
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "lib");
    repository.git("commit", "-qm", "with a submodule");
    const told = await calls(() => {
      repository.write("lib/lib.ts", "trampled");
      repository.write("README.md", "trampled");
    });
    expect(told).toMatch(/`lib\/lib.ts` \([^)]*repository of its own\)/);
    expect([text("lib/lib.ts"), text("README.md")]).toEqual(["trampled", "x\n"]);
  });

  it("a repository that is made in the project is told, and left", async () => {
    const told = await calls(() => {
      repository.git("init", "-q", "nested");
      repository.write("nested/x", "new");
    });
    expect(told).toMatch(/`nested\/` \([^)]*repository of its own\)/);
  });

  it("a linked worktree is put back as the main checkout is, and neither touches the other", async () => {
    const tree = `${repository.path}-tree`;
    repository.git("worktree", "add", "-q", tree, "-b", "w1");
    writeFileSync(join(tree, "README.md"), "a person's, there");
    const call = mcp({}, { cwd: tree });
    const told = await calls(
      () => {
        writeFileSync(join(tree, "README.md"), "trampled");
        writeFileSync(join(tree, "made"), "new");
        repository.write("docs/guide.md", "a person's, here");
        repository.write(".git/hooks/pre-commit", "evil");
      },
      call,
      { folder: tree },
    );
    expect(told).not.toContain("guide.md");
    expect(readFileSync(join(tree, "README.md"), "utf8")).toBe("a person's, there");
    expect(existsSync(join(tree, "made"))).toBe(false);
    expect(existsSync(at(".git/hooks/pre-commit"))).toBe(false);
    expect(text("docs/guide.md")).toBe("a person's, here");
    expect(repository.git("show", `${refIn(told)}:README.md`)).toBe("trampled");
  });

  it("a worktree inside the project is not the main checkout's", async () => {
    repository.git("worktree", "add", "-q", ".claude/worktrees/w1", "-b", "w1");
    const told = await calls(() => {
      repository.write(".claude/worktrees/w1/README.md", "another agent's");
      repository.write("README.md", "trampled");
    });
    expect(told).not.toContain("worktrees");
    expect(text(".claude/worktrees/w1/README.md")).toBe("another agent's");
  });

  it("of a project below the top of its repository only the project is put back", async () => {
    for (const path of ["api/.lockstep/config.yaml", "api/src/a/x.ts", "api/y.ts"])
      repository.write(path, "");
    repository.git("add", "-fA", "api");
    repository.git("commit", "-qm", "a project below");
    repository.write("api/notes", "a person's");
    const told = await calls(
      () => {
        for (const path of ["api/y.ts", "api/notes", "README.md"]) repository.write(path, "trampled");
        repository.write("api/src/a/x.ts", "mine");
      },
      mcp({}, { cwd: at("api") }),
      { folder: at("api") },
    );
    expect(told).toContain("`../README.md` (it lies outside the project)");
    expect(["api/y.ts", "api/notes", "api/src/a/x.ts"].map(text)).toEqual(["", "a person's", "mine"]);
    expect(repository.git("show", `${refIn(told)}:api/notes`)).toBe("trampled");
  });

  it("what a sparse checkout leaves out stays away", async () => {
    repository.git("sparse-checkout", "set", "src");
    const told = await calls(() => {
      repository.write("docs/guide.md", "made here");
      rmSync(at("src/b/x.ts"));
    });
    expect(told).toContain("put back");
    expect([existsSync(at("docs")), text("src/b/x.ts")]).toEqual([false, "x\n"]);
    expect(status()).toBe("");
  });

  it("one without a commit has nothing but what was copied", async () => {
    repository.git("checkout", "-q", "--orphan", "fresh");
    const told = await calls(() => {
      repository.write("README.md", "trampled");
      repository.write("made", "new");
    });
    expect(told).toContain("put back");
    expect([text("README.md"), existsSync(at("made"))]).toEqual(["x\n", false]);
  });
});
