import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectFile, replaceFile } from "../../src/workspace/files/replace-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("a replaced file", () => {
  it("is readable for its owner only, unless another mode is requested", () => {
    using folder = temporaryFolder({ "was open": "" });
    chmodSync(join(folder.path, "was open"), 0o644);
    replaceFile(join(folder.path, "was open"), "text");
    replaceFile(join(folder.path, "run"), "text", { mode: 0o700 });
    expect([modeOf(join(folder.path, "was open")), modeOf(join(folder.path, "run"))]).toEqual([0o600, 0o700]);
  });

  it("keeps its mode if that is requested, whatever the umask is", () => {
    using folder = temporaryFolder({ old: "" });
    chmodSync(join(folder.path, "old"), 0o666);
    replaceFile(join(folder.path, "old"), "text", { mode: 0o600, keepsMode: true });
    replaceFile(join(folder.path, "new"), "text", { mode: 0o600, keepsMode: true });
    expect([modeOf(join(folder.path, "old")), modeOf(join(folder.path, "new"))]).toEqual([0o666, 0o600]);
  });

  it("replaces a link, and does not change the target of the link", () => {
    using folder = temporaryFolder({ away: "theirs" });
    symlinkSync("away", join(folder.path, "link"));
    replaceFile(join(folder.path, "link"), "ours", projectFile);
    expect(lstatSync(join(folder.path, "link")).isFile()).toBe(true);
    expect(readFileSync(join(folder.path, "away"), "utf8")).toBe("theirs");
  });

  it("leaves no temporary file, after success and failure", () => {
    using folder = temporaryFolder({ "taken/x": "" });
    replaceFile(join(folder.path, "file"), Buffer.from([0, 255]), { durable: true });
    expect(() => replaceFile(join(folder.path, "taken"), "text")).toThrow();
    expect(readdirSync(folder.path).toSorted()).toEqual(["file", "taken"]);
    expect(readFileSync(join(folder.path, "file"))).toEqual(Buffer.from([0, 255]));
  });
});
