import { describe, expect, it } from "vitest";
import { clientNames } from "../../contract/client-names.ts";
import { protectedEntryOf, protectedHomeEntryOf } from "../../core/paths/protected-paths.ts";
import { isAgent } from "../../core/shell/programs/agents/agent-names.ts";
import { clientSetups } from "./client-setups.ts";

const home = "/home/user";
/** Clients whose settings at home are in another folder than `folder`. */
const homeFolders: Readonly<Record<string, string>> = { opencode: ".config/opencode" };

describe.each(clientNames)("the setup of %s", (name) => {
  const { files, folder, program } = clientSetups[name];

  it("has settings that no agent may write, in the project and at home", () => {
    const settings = [files.shared, files.personal ?? files.shared];
    expect(settings.filter((file) => protectedEntryOf(file, { tree: false }) === undefined)).toEqual([]);
    const atHome = `${home}/${homeFolders[name] ?? folder}`;
    expect(protectedHomeEntryOf(`${atHome}/settings`, home)).toBeDefined();
  });

  it("has a program that the shell analysis knows as an agent", () => {
    expect(isAgent(program)).toBe(true);
    expect(isAgent(name)).toBe(true);
  });
});
