import { join } from "node:path";
import {
  settingsFiles as claudeFiles,
  install as installForClaude,
} from "../../src/clients/claude/install.ts";
import { install, settingsFiles } from "../../src/clients/copilot/install.ts";
import { guardCases } from "./support/guard-cases.ts";
import { type GuardedCase, put } from "./support/guarded-client.ts";
import { installClient } from "./support/install-client.ts";
import { openaiStandIn } from "./support/openai.ts";
import { sandboxCases } from "./support/sandbox-cases.ts";

const installed = await installClient("copilot", "@github/copilot", "1.0.102");

const copilot: GuardedCase = {
  client: "copilot",
  installed,
  calls: {
    write: (path) => ({ name: "create", input: { path, file_text: "made\n" } }),
    edit: (path) => [{ name: "edit", input: { path, old_str: "x", new_str: "y" } }],
    shell: (command) => ({ name: "bash", input: { command, description: "does it", initial_wait: 600 } }),
    background: (command) => ({ name: "bash", input: { command, description: "serves", mode: "async" } }),
    spawn: (prompt) => ({
      name: "task",
      input: { name: "w", description: "writes", prompt, agent_type: "general-purpose", mode: "sync" },
    }),
  },
  rules: {
    "no rule": { permits: [], runs: false },
    "an option denies it": { permits: ["--allow-all-tools", "--deny-tool", "shell(node)"], runs: false },
    "an option allows the shell": { permits: ["--allow-tool", "shell"], runs: true },
  },
  standIn: openaiStandIn,
  hooks: (place) => put(place, settingsFiles.shared, install(null, place)),
  start: (place) => {
    // The answer to the question at its first start. With `--trust-folder` it reads no hooks in a subfolder.
    place.home.write(".copilot/config.json", JSON.stringify({ trustedFolders: [place.folder] }));
    return {
      words: [
        ...["copilot", "-p", place.prompt, "--model", "stand-in"],
        ...(place.permits ?? ["--allow-all-tools", "--allow-all-paths"]),
        ...["--output-format", "json"],
      ],
      env: {
        COPILOT_OFFLINE: "true",
        COPILOT_AUTO_UPDATE: "false",
        COPILOT_PROVIDER_BASE_URL: `${place.url}/v1`,
        COPILOT_PROVIDER_API_KEY: "key-of-the-stand-in",
        COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "1000000",
        COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "8000",
        COPILOT_CACHE_HOME: join(installed.bin, "..", "..", "cache"), // it unpacks itself there
      },
    };
  },
};

guardCases(copilot);
sandboxCases(copilot);

sandboxCases({
  ...{ ...copilot, title: "copilot with Claude's hooks next to its own" },
  hooks: async (place) => {
    await copilot.hooks(place);
    const command = place.command.replace("guard copilot", "guard claude");
    put(place, claudeFiles.shared, installForClaude(null, { ...place, command }));
  },
});
