import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/workspace/files/disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const loop = "/dev/null/loop";

describe("resolving links on the disk", () => {
  it.each<[string, string]>([
    ["a.txt", "a.txt"],
    ["./dir//../a.txt", "a.txt"],
    ["new/file.txt", "new/file.txt"],
    ["new/../a.txt", "a.txt"],
    ["to-dir/new.txt", "dir/new.txt"],
    ["to-deep/..", "dir"],
    ["to-deep/../x", "dir/x"],
    ["dangling", "nowhere/at/all"],
    ["dangling/below", "nowhere/at/all/below"],
    ["chain/x", "dir/deep/x"],
    ["absolute/hosts", "/etc/hosts"],
    ["self", loop],
    ["ping/x", loop],
    ["a.txt/below", "a.txt/below"],
  ])("%s is %s", (path, real) => {
    using folder = temporaryFolder({ "a.txt": "x", "dir/deep/b.txt": "x" });
    const link = (target: string, name: string) => symlinkSync(target, join(folder.path, name));
    link("dir", "to-dir");
    link("dir/deep", "to-deep");
    link("nowhere/at/all", "dangling");
    link("to-deep", "chain");
    link("/etc", "absolute");
    link("self", "self");
    link("pong", "ping");
    link("ping", "pong");
    const expected = real.startsWith("/") ? real : join(folder.path, real);
    expect(nodeDisk().realPath(`${folder.path}/${path}`)).toBe(expected);
  });

  it("follows 40 links at most", () => {
    using folder = temporaryFolder({ target: "x" });
    symlinkSync("target", join(folder.path, "l1"));
    for (let at = 2; at <= 41; at += 1) symlinkSync(`l${at - 1}`, join(folder.path, `l${at}`));
    expect(nodeDisk().realPath(join(folder.path, "l40"))).toBe(join(folder.path, "target"));
    expect(nodeDisk().realPath(join(folder.path, "l41"))).toBe(loop);
  });

  it.skipIf(process.getuid?.() === 0)(
    "treats unreadable folders as outside (skipped for root, who may read everything)",
    () => {
      using folder = temporaryFolder({ "closed/a": "x" });
      chmodSync(join(folder.path, "closed"), 0);
      expect(nodeDisk().realPath(join(folder.path, "closed/a"))).toBe(loop);
      chmodSync(join(folder.path, "closed"), 0o700);
    },
  );

  it("agrees with realpath -m on random trees of links", () => {
    const name = fc.constantFrom("a", "b", "c", "..", ".");
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
    const links = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c", "d/a", "d/b"), path), {
      selector: ([from]) => from,
      maxLength: 5,
    });
    fc.assert(
      fc.property(links, path, (list, asked) => {
        using folder = temporaryFolder();
        mkdirSync(join(folder.path, "d"));
        for (const [from, target] of list) symlinkSync(target, join(folder.path, from));
        const spelled = `${folder.path}/d/${asked}`;
        const ours = nodeDisk().realPath(spelled);
        if (ours === loop) return;
        const theirs = execFileSync("realpath", ["-m", "--", spelled], { encoding: "utf8" }).trimEnd();
        expect(ours).toBe(theirs);
      }),
      { numRuns: 100 },
    );
  });
});

describe("kinds and sizes", () => {
  it("follow links and never throw", () => {
    using folder = temporaryFolder({ "a.txt": "12345", "dir/b": "" });
    symlinkSync("dir", join(folder.path, "link"));
    symlinkSync("none", join(folder.path, "dangling"));
    const disk = nodeDisk();
    const at = (name: string) => join(folder.path, name);
    expect(
      ["a.txt", "dir", "link", "dangling", "none", "a.txt/x"].map((one) => disk.kindOf(at(one))),
    ).toEqual(["file", "folder", "folder", "absent", "absent", "absent"]);
    expect(["a.txt", "dir/b", "none"].map((one) => disk.sizeOf(at(one)))).toEqual([5, 0, 0]);
    expect(disk.namesIn?.(at("dir"))).toEqual(["b"]);
    expect(disk.namesIn?.(at("none"))).toEqual([]);
  });
});
