import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backUpFiles, restoreFiles, restoreSessions } from "../../src/workspace/plan/session-backup.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const session = "2026-02-14_shop";
const own = `.agents-work/${session}`;

/** A project with a session, and its state folder beside it. */
function project() {
  const folder = temporaryFolder({
    [`root/${own}/spec.md`]: "# Shop\n",
    [`root/${own}/tasks.yaml`]: "tasks: []\n",
    [`root/${own}/worklogs/T-001.md`]: "began\n",
    "state/ledger": "",
  });
  const root = join(folder.path, "root");
  const state = join(folder.path, "state");
  const path = (name = "") => join(root, own, name);
  return {
    [Symbol.dispose]: () => folder[Symbol.dispose](),
    ...{ root, state, path },
    backUp: () => backUpFiles(state, root, session),
    restore: () => restoreFiles(state, root, session),
    files: () =>
      readdirSync(path(), { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map(({ name }) => name)
        .sort(),
  };
}

describe("the files of a session", () => {
  it("are restored if the folder of all sessions was removed", () => {
    using shop = project();
    shop.backUp();
    rmSync(join(shop.root, ".agents-work"), { recursive: true });
    shop.restore();
    expect(shop.files()).toEqual(["T-001.md", "spec.md", "tasks.yaml"]);
    expect(readFileSync(shop.path("worklogs/T-001.md"), "utf8")).toBe("began\n");
    expect(readdirSync(join(shop.root, ".agents-work"))).toEqual([session]);
  });

  it("are all restored by a run of another plan, which checks every session", () => {
    using shop = project();
    shop.backUp();
    rmSync(shop.path(), { recursive: true });
    restoreSessions(shop.state, shop.root);
    expect(shop.files()).toEqual(["T-001.md", "spec.md", "tasks.yaml"]);
  });

  it("are left alone if the folder still exists", () => {
    using shop = project();
    shop.backUp();
    rmSync(shop.path("spec.md"));
    writeFileSync(shop.path("tasks.yaml"), "tasks: [1]\n");
    shop.restore();
    expect(shop.files()).toEqual(["T-001.md", "tasks.yaml"]);
    expect(readFileSync(shop.path("tasks.yaml"), "utf8")).toBe("tasks: [1]\n");
  });

  it("are restored in their last version, even if a file was replaced by a folder", () => {
    using shop = project();
    writeFileSync(shop.path("notes"), "a file\n");
    shop.backUp();
    writeFileSync(shop.path("spec.md"), "# Shop, again\n");
    rmSync(shop.path("notes"));
    mkdirSync(shop.path("notes"));
    writeFileSync(shop.path("notes/1.md"), "in a folder\n");
    shop.backUp();
    rmSync(shop.path(), { recursive: true });
    shop.restore();
    expect(readFileSync(shop.path("spec.md"), "utf8")).toBe("# Shop, again\n");
    expect(readFileSync(shop.path("notes/1.md"), "utf8")).toBe("in a folder\n");
  });

  it("are kept if the folder was emptied during a run", () => {
    using shop = project();
    shop.backUp();
    rmSync(shop.path(), { recursive: true });
    shop.backUp();
    mkdirSync(shop.path());
    writeFileSync(shop.path("status.json"), "{}\n");
    shop.backUp();
    rmSync(shop.path(), { recursive: true });
    shop.restore();
    expect(shop.files()).toEqual(["T-001.md", "spec.md", "status.json", "tasks.yaml"]);
  });

  it("are kept without links, partial files and files larger than 1 MiB", () => {
    using shop = project();
    writeFileSync(join(shop.root, "outside"), "not ours\n");
    symlinkSync(join(shop.root, "outside"), shop.path("link.md"));
    mkdirSync(join(shop.root, "elsewhere"));
    writeFileSync(join(shop.root, "elsewhere/inside.md"), "not ours\n");
    symlinkSync(join(shop.root, "elsewhere"), shop.path("linked"));
    writeFileSync(shop.path("status.json.1.tmp"), "{");
    writeFileSync(shop.path("long.md"), "");
    truncateSync(shop.path("long.md"), 1024 * 1024 + 1);
    shop.backUp();
    rmSync(shop.path(), { recursive: true });
    shop.restore();
    expect(shop.files()).toEqual(["T-001.md", "spec.md", "tasks.yaml"]);
  });

  it.each(["the folder of the session", "the folder of all sessions"])(
    "are neither read nor written through a link in place of %s",
    (which) => {
      using shop = project();
      shop.backUp();
      const link = which === "the folder of the session" ? shop.path() : join(shop.root, ".agents-work");
      rmSync(link, { recursive: true });
      const there = join(shop.root, "elsewhere", which === "the folder of the session" ? "" : session);
      mkdirSync(there, { recursive: true });
      writeFileSync(join(there, "secret.md"), "not ours\n");
      symlinkSync(join(shop.root, "elsewhere"), link);
      shop.backUp();
      if (which === "the folder of the session") shop.restore();
      expect(readdirSync(there)).toEqual(["secret.md"]);
      rmSync(link);
      shop.restore();
      expect(shop.files()).toEqual(["T-001.md", "spec.md", "tasks.yaml"]);
    },
  );

  it("without a backup leave nothing behind", () => {
    using shop = project();
    rmSync(shop.path(), { recursive: true });
    shop.restore();
    expect(existsSync(shop.path())).toBe(false);
  });
});
