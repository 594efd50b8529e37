import { appendFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { filtersIn, isOn, settingsIn } from "../../src/workspace/git/known-settings.ts";
import { temporaryRepository } from "../support/run-command.ts";

const settledMs = 150;

describe("git's configured filters", () => {
  it("come from every configuration file, by name", async () => {
    using repository = temporaryRepository();
    const included = repository.write(
      "more",
      '[filter "a.b"]\n\tprocess = x\n[filter "c"]\n\trequired = true\n',
    );
    repository.git("config", "include.path", included);
    repository.git("config", "filter.Upper.clean", "x");
    repository.git("config", "filter.Upper.smudge", "y");
    expect([...(await filtersIn(repository.path))].filter((name) => name !== "filter.lfs").sort()).toEqual([
      "filter.Upper",
      "filter.a.b",
    ]);
  });

  it("are read again as soon as a file has changed, even after a short time and with an old date", async () => {
    using repository = temporaryRepository();
    const config = join(repository.path, ".git", "config");
    const included = repository.write("more", "");
    repository.git("config", "include.path", included);
    const own = async () => (await filtersIn(repository.path)).filter((name) => name !== "filter.lfs");
    for (const [at, file] of [config, config, included].entries()) {
      await sleep(settledMs);
      await own();
      await own();
      appendFileSync(file, `[filter "f${at}"]\n\tclean = x\n`);
      utimesSync(file, 0, 0);
      // Git names no file that was empty, so the change is noticed only after the answer has expired.
      if (file === included) await sleep(1_100);
      expect(await own()).toContain(`filter.f${at}`);
    }
    await sleep(settledMs);
    expect(await own()).toHaveLength(3);
    writeFileSync(included, "");
    expect(await own()).toEqual(["filter.f0", "filter.f1"]);
  });
});

describe("a git setting", () => {
  it("is on if git reports it as on, in every form of its value", async () => {
    const values = ["true", "YES", "on", "1", "+01", "-1", "2k", "false", "no", "off", "0", "00", "", "TRUE"];
    for (const value of [...values, undefined]) {
      using repository = temporaryRepository();
      const earlier = value === "false" ? "true" : "false";
      const line = value === undefined ? "Flag" : `Flag = ${value}`;
      appendFileSync(join(repository.path, ".git", "config"), `[Own]\n\tflag = ${earlier}\n\t${line}\n`);
      const wanted = repository.git("config", "--bool", "own.flag") === "true";
      expect({ value, on: isOn(await settingsIn(repository.path), "own.flag") }).toEqual({
        value,
        on: wanted,
      });
    }
  });

  it("is off if it is not set, even if a similar one is set", async () => {
    using repository = temporaryRepository();
    repository.git("config", "own.flags", "true");
    expect(isOn(await settingsIn(repository.path), "own.flag")).toBe(false);
  });
});
