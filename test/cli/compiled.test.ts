import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { command, lockstepWords } from "../support/run-hook.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

const runner = new URL("../../bin/run-compiled.cjs", import.meta.url).pathname;

/** A program whose functions are called for the first time when it runs. */
const program = (word: string, isWhole = true) =>
  `function say() { process.stdout.write("${word}"); }\nsay();\nkeepCompiled(${isWhole});\n`;

function run(folder: TemporaryFolder): string {
  const words = [join(folder.path, "program.cjs"), join(folder.path, "made/kept")];
  const script = `require(${JSON.stringify(runner)})(...process.argv.slice(1))`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["-e", script, ...words], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

const kept = (folder: TemporaryFolder) => join(folder.path, "made/kept");
const fileOf = (folder: TemporaryFolder) => statSync(kept(folder)).ino;

describe("V8's compile cache", () => {
  it("is stored by the first process, and used by the next one", () => {
    using folder = temporaryFolder({ "program.cjs": program("one") });
    expect(run(folder)).toBe("one");
    const first = fileOf(folder);
    expect(run(folder)).toBe("one");
    expect(fileOf(folder)).toBe(first);
    expect(statSync(kept(folder)).mode & 0o077).toBe(0);
  });

  it("is not used for another version of the program, even one of the same length", () => {
    using folder = temporaryFolder({ "program.cjs": program("one") });
    run(folder);
    folder.write("program.cjs", program("two"));
    expect(run(folder)).toBe("two");
    expect(run(folder)).toBe("two");
  });

  it("does not bring back a folder that was removed while the program ran", () => {
    const removes = `require("node:fs").rmSync(process.argv[2].replace(/.kept$/, ""), { recursive: true });\n`;
    using folder = temporaryFolder({ "program.cjs": removes + program("one") });
    expect(run(folder)).toBe("one");
    expect(existsSync(join(folder.path, "made"))).toBe(false);
  });

  it("is created again if it is invalid", () => {
    using folder = temporaryFolder({ "program.cjs": program("one") });
    run(folder);
    const whole = readFileSync(kept(folder));
    for (const size of [0, 100, 128, 200]) {
      truncateSync(kept(folder), size);
      expect(run(folder)).toBe("one");
      expect(readFileSync(kept(folder)).length).toBe(whole.length);
    }
  });

  it("is not run from a file that others can write", () => {
    using folder = temporaryFolder({ "program.cjs": program("one") });
    run(folder);
    const first = fileOf(folder);
    chmodSync(kept(folder), 0o622);
    expect(run(folder)).toBe("one");
    expect(fileOf(folder)).not.toBe(first);
    expect(statSync(kept(folder)).mode & 0o077).toBe(0);
  });

  it("is not looked for in the current folder if the home is relative", () => {
    using folder = temporaryFolder();
    const words = [new URL("../../bin/lockstep.cjs", import.meta.url).pathname, "--version"];
    for (const name of ["HOME", "XDG_STATE_HOME"]) {
      const env = { PATH: process.env.PATH, HOME: "", [name]: "relative" };
      const { status } = spawnSync(process.execPath, words, { cwd: folder.path, env });
      expect(status).toBe(0);
      expect(["relative", ".local"].filter((made) => existsSync(join(folder.path, made)))).toEqual([]);
    }
  });

  it("is stored for commands, and not for words that name none", () => {
    using home = temporaryFolder();
    const env = { PATH: process.env.PATH, XDG_STATE_HOME: home.path };
    for (const word of ["--help", "schema", "statsu", "shcema", "--jsno"])
      spawnSync(process.execPath, [command, word], { cwd: home.path, env });
    const found = readdirSync(join(home.path, "lockstep/compiled"), { recursive: true, encoding: "utf8" });
    const named = found.flatMap((path) => /main\.cjs_(.*)/.exec(path)?.[1] ?? []);
    expect(named.toSorted()).toEqual(["", "schema"]);
  });

  it("of a partial run is replaced by that of a whole run, and not the other way round", () => {
    using folder = temporaryFolder({ "program.cjs": program("one", false) });
    run(folder);
    const part = fileOf(folder);
    run(folder);
    expect(fileOf(folder)).toBe(part);
    folder.write("program.cjs", program("one", true));
    run(folder);
    const text = () => readFileSync(kept(folder), "latin1").slice(0, 128);
    expect(text()).toContain(" whole");
  });

  it("does not stop a program if it cannot be stored", () => {
    using folder = temporaryFolder({ "program.cjs": program("one"), made: "a file in place of the folder" });
    expect(run(folder)).toBe("one");
  });
});

describe("the command as its first line starts it", () => {
  it("is Node without a garbage collection at its start, with every argument as it was given", () => {
    using folder = temporaryFolder();
    const link = join(folder.path, "lockstep");
    symlinkSync(command, link);
    const path = [folder.path, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
    const words = ["explain", "echo 'a  b' > \"$HOME\"/x\\ y"];
    const env = { HOME: "/h", PATH: path };
    const run = spawnSync("sh", ["-c", 'lockstep "$@"', "sh", ...words], { encoding: "utf8", env });
    expect(run.stderr).toBe("");
    expect(run.stdout).toContain("/h/x y");
    const options = { encoding: "utf8", env: { HOME: folder.path, PATH: path } } as const;
    const traced = spawnSync("sh", ["-c", 'exec sh -x "$0" --version', link], options);
    expect(traced.stderr).toContain(lockstepWords.slice(1, -1).join(" "));
    expect(traced.status).toBe(0);
  });
});
