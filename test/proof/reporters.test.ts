import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { placeReporters } from "../../src/proof/reporters.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the reporters of a check", () => {
  it("are copied for each check that could change them", () => {
    using folder = temporaryFolder();
    const parent = join(folder.path, "reports");
    const places = [1, 2].map(() => {
      using reporters = placeReporters(parent);
      writeFileSync(join(reporters.readOnly, "node.cjs"), "changed\n");
      return reporters.readOnly;
    });
    expect(places[0]).not.toBe(places[1]);
    expect(existsSync(parent)).toBe(false);
  });

  it("are used again if no check can write them, without the reports of the check before", () => {
    using folder = temporaryFolder();
    const parent = join(folder.path, "reports");
    const [first, second] = [1, 2].map(() => {
      using reporters = placeReporters(parent, { isProtected: true });
      reporters.env({ PATH: process.env.PATH ?? "" });
      expect(readdirSync(reporters.writable)).toEqual([]);
      writeFileSync(join(reporters.writable, "1.jsonl"), "not a report\n");
      return reporters.readOnly;
    });
    expect(second).toBe(first);
    expect(readdirSync(first ?? "")).not.toContain("out");
  });

  it("are copied again if another process has used the folder since", () => {
    using folder = temporaryFolder();
    const parent = join(folder.path, "reports");
    const place = () => {
      using reporters = placeReporters(parent, { isProtected: true });
      return reporters.readOnly;
    };
    const first = place();
    rmSync(first, { recursive: true });
    const again = place();
    expect(again).not.toBe(first);
    expect(readFileSync(join(again, "node.cjs"), "utf8")).not.toBe("");
  });

  it("wrap only programs that exist at that time", () => {
    using folder = temporaryFolder({ "bin/python3": "" });
    const parent = join(folder.path, "reports");
    const wrapped = () => {
      using reporters = placeReporters(parent, { isProtected: true });
      const { PATH } = reporters.env({ PATH: join(folder.path, "bin") });
      return PATH === join(folder.path, "bin") || PATH === undefined
        ? []
        : readdirSync(PATH.split(":")[0] ?? "").filter((name) => name !== "start.sh");
    };
    expect(wrapped()).toEqual(["python3"]);
    rmSync(join(folder.path, "bin/python3"));
    expect(wrapped()).toEqual([]);
    folder.write("bin/node", "");
    expect(wrapped()).toEqual(["node"]);
  });
});
