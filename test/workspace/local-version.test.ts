import { expect, it } from "vitest";
import { localVersion } from "../../src/workspace/state/local-version.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("a commit of one process changes the version for all other processes of the machine at once", () => {
  using folder = temporaryFolder();
  const [one, other] = [localVersion(folder.path), localVersion(folder.path)];
  const seen = [one.read()];
  for (let round = 0; round < 5; round += 1) {
    other.bump();
    seen.push(one.read());
    expect(one.read()).toBe(seen.at(-1));
  }
  expect(new Set(seen).size).toBe(6);
});
