import { describe, expect, it } from "vitest";
import { type ClientName, clientNames } from "../../contract/client-names.ts";
import { protectedEntryOf, protectedHomeEntryOf } from "../../core/paths/protected-paths.ts";
import { agentOfPackage, isAgent } from "../../core/shell/programs/agents/agent-names.ts";
import { guardedClients } from "../world/guarded-clients.ts";
import { canaryPayload } from "./canary-payloads.ts";
import { clientSetups } from "./client-setups.ts";

const home = "/home/user";
/** Clients whose settings at home are in another folder than `folder`. */
const homeFolders: Readonly<Record<string, string>> = { opencode: ".config/opencode" };

/** The npm package of each client's program, if there is one. */
const packages: Readonly<Record<ClientName, string | null>> = {
  claude: "@anthropic-ai/claude-code",
  codex: "@openai/codex",
  gemini: "@google/gemini-cli",
  opencode: "opencode-ai",
  copilot: "@github/copilot",
  cursor: null,
};

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
    const named = packages[name];
    if (named !== null) expect(agentOfPackage(named)).toBe(program);
  });

  it("has a tool for writing whose name is known", () => {
    const call = guardedClients[name].parse(canaryPayload(name, "/repo"), { folder: "/repo" });
    expect(call).toMatchObject({ event: "before-tool", operation: { kind: "write" } });
  });
});
