import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refreshOwnClone } from "../../src/workspace/git/own-clone.ts";
import { git } from "../../src/workspace/git/run-git.ts";
import { landRepository } from "../support/land-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("a worker's own clone", () => {
  it.each(["index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/remotes/origin/main.lock"])(
    "is refreshed even if a killed worker has left %s",
    async (lock) => {
      using source = landRepository({ "a.txt": "one\n" });
      using place = temporaryFolder();
      const root = join(place.path, "clone");
      await git(place.path, ["clone", "--quiet", source.path, root]);
      source.write("a.txt", "two\n");
      source.git("commit", "-qam", "two");
      const left = place.write(join("clone/.git", lock), "");
      expect(await refreshOwnClone(root, "origin", "main")).toBeUndefined();
      expect(existsSync(left)).toBe(false);
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("two\n");
    },
  );
});
