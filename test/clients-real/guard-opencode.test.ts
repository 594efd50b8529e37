import { install, settingsFiles } from "../../src/clients/opencode/install.ts";
import { guardCases } from "./support/guard-cases.ts";
import { type GuardedCase, put } from "./support/guarded-client.ts";
import { installClient } from "./support/install-client.ts";
import { openaiStandIn } from "./support/openai.ts";
import { sandboxCases } from "./support/sandbox-cases.ts";

const rulesFile = (bash: object) => ({ "opencode.json": JSON.stringify({ permission: { bash } }) });

const opencode: GuardedCase = {
  client: "opencode",
  installed: await installClient("opencode", "opencode-ai", "1.18.33"),
  calls: {
    write: (filePath) => ({ name: "write", input: { filePath, content: "made\n" } }),
    // OpenCode edits only files that it has read before.
    edit: (filePath) => [
      { name: "read", input: { filePath } },
      { name: "edit", input: { filePath, oldString: "x", newString: "y" } },
    ],
    shell: (command) => ({ name: "bash", input: { command, description: "does it", timeout: 600_000 } }),
    timed: (command) => ({ name: "bash", input: { command, description: "waits", timeout: 2000 } }),
    spawn: (prompt) => ({ name: "task", input: { description: "writes", prompt, subagent_type: "general" } }),
  },
  rules: {
    "a rule denies it": { files: rulesFile({ "*": "allow", "node *": "deny" }), runs: false },
    "a rule asks": { files: rulesFile({ "*": "allow", "node *": "ask" }), runs: false },
  },
  standIn: openaiStandIn,
  hooks: (place) => put(place, settingsFiles.shared, install(null, place)),
  start: (place) => {
    const models = { m: { name: "m", tool_call: true, limit: { context: 500_000, output: 8000 } } };
    const options = { baseURL: `${place.url}/v1`, apiKey: "stand-in" };
    const standin = { npm: "@ai-sdk/openai-compatible", name: "Stand-in", options, models };
    const settings = { provider: { standin }, permission: "allow", share: "disabled", autoupdate: false };
    place.home.write(".config/opencode/opencode.json", JSON.stringify(settings));
    return {
      words: ["opencode", "run", "--format", "json", "--title", "t", "-m", "standin/m", place.prompt],
      env: {
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        // OpenCode waits while it fetches a package for plugins, which ours does not need.
        npm_config_registry: "http://127.0.0.1:9",
        npm_config_fetch_retries: "0",
      },
    };
  },
};

guardCases(opencode);
sandboxCases(opencode);
