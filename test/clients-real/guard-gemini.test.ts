import { install, settingsFiles } from "../../src/clients/gemini/install.ts";
import { geminiStandIn } from "./support/gemini.ts";
import { guardCases } from "./support/guard-cases.ts";
import { type GuardedCase, put } from "./support/guarded-client.ts";
import { installClient } from "./support/install-client.ts";
import { sandboxCases } from "./support/sandbox-cases.ts";

const gemini: GuardedCase = {
  topOnly: true,
  client: "gemini",
  installed: await installClient("gemini", "@google/gemini-cli", "0.61.0"),
  calls: {
    write: (path) => ({ name: "write_file", input: { file_path: path, content: "made\n" } }),
    edit: (path) => [
      { name: "replace", input: { file_path: path, instruction: "y", old_string: "x", new_string: "y" } },
    ],
    shell: (command) => ({ name: "run_shell_command", input: { command } }),
    background: (command) => ({ name: "run_shell_command", input: { command, is_background: true } }),
    spawn: (prompt) => ({ name: "invoke_agent", input: { agent_name: "generalist", prompt } }),
  },
  subagentEnd: { calls: [{ name: "complete_task", input: { result: { response: "I am done." } } }] },
  rules: {
    "no rule": { permits: [], runs: false },
    "an option allows the shell": { permits: ["--allowed-tools", "run_shell_command"], runs: true },
    "a policy denies it": {
      files: {
        "~/.gemini/policies/no-node.toml":
          '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "node"\ndecision = "deny"\npriority = 999\n',
      },
      runs: false,
    },
  },
  standIn: geminiStandIn,
  existing: { [settingsFiles.shared]: '// ours\n{ "general":  { "vimMode": false } }' },
  hooks: (place) => put(place, settingsFiles.shared, install(null, place)),
  start: (place) => {
    const security = { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } };
    const general = { disableAutoUpdate: true, enableAutoUpdate: false };
    const quiet = { privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } };
    place.home.write(".gemini/settings.json", JSON.stringify({ security, general, ...quiet }));
    return {
      words: [
        ...["gemini", "-p", place.prompt, "-m", "gemini-2.5-pro", "-o", "json"],
        ...(place.permits ?? ["--approval-mode", "yolo"]),
      ],
      env: { GEMINI_API_KEY: "stand-in", GOOGLE_GEMINI_BASE_URL: place.url },
    };
  },
};

guardCases(gemini);
sandboxCases(gemini);
