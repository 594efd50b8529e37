import { install, settingsFiles } from "../../src/clients/claude/install.ts";
import { hookLine } from "../../src/guard/transport/hook-line.ts";
import { httpHook } from "../../src/guard/transport/http-hook.ts";
import { openHttpAccess } from "../../src/workspace/state/http-access.ts";
import { anthropicStandIn } from "./support/anthropic.ts";
import { guardCases } from "./support/guard-cases.ts";
import { type GuardedCase, type GuardPlace, put } from "./support/guarded-client.ts";
import { installClient } from "./support/install-client.ts";
import { sandboxCases } from "./support/sandbox-cases.ts";

const rulesText = (permissions: object) => JSON.stringify({ permissions });
const shared = (permissions: object) => ({ [settingsFiles.shared]: rulesText(permissions) });

const claude: GuardedCase = {
  client: "claude",
  installed: await installClient("claude", "@anthropic-ai/claude-code", "2.1.325"),
  calls: {
    write: (path) => ({ name: "Write", input: { file_path: path, content: "made\n" } }),
    // Claude edits only files that it has read before, and calls no hook for others.
    edit: (path) => [
      { name: "Read", input: { file_path: path } },
      { name: "Edit", input: { file_path: path, old_string: "x", new_string: "y" } },
    ],
    shell: (command) => ({ name: "Bash", input: { command, timeout: 600_000 } }),
    background: (command) => ({ name: "Bash", input: { command, run_in_background: true } }),
    spawn: (prompt) => ({
      name: "Agent",
      input: { description: "writes", prompt, subagent_type: "general-purpose" },
    }),
  },
  rules: {
    "no rule": { permits: [], runs: false },
    "edits are accepted": { permits: ["--permission-mode", "acceptEdits"], runs: false },
    "an option allows the shell": { permits: ["--allowedTools", "Bash"], runs: true },
    "a rule allows it": { permits: [], files: shared({ allow: ["Bash(node:*)"] }), runs: true },
    "a rule allows it, an option denies it": {
      ...{ permits: ["--disallowedTools", "Bash(node:*)"], files: shared({ allow: ["Bash(node:*)"] }) },
      runs: false,
    },
    "a rule allows git, which runs a hook": {
      ...{ permits: [], files: shared({ allow: ["Bash(git commit:*)"] }), runs: true },
      command: "git commit --allow-empty -m more",
    },
    "no rule allows git": { permits: [], command: "git commit --allow-empty -m more", runs: false },
    "a rule asks": { files: shared({ ask: ["Bash(node:*)"] }), runs: false },
    "a rule denies it": { files: shared({ deny: ["Bash(node src/a/make.js)"] }), runs: false },
    "the person's rule denies it": {
      ...{ files: { "~/.claude/settings.json": rulesText({ deny: ["Bash(node:*)"] }) }, runs: false },
    },
  },
  standIn: anthropicStandIn,
  existing: { [settingsFiles.personal]: '{ "includeCoAuthoredBy":   false }' },
  hooks: async (place) =>
    put(place, settingsFiles.personal, install(null, { ...place, ...(await overHttp(place)) })),
  start: (place) => ({
    words: ["claude", "-p", place.prompt, ...(place.permits ?? ["--permission-mode", "bypassPermissions"])],
    env: {
      ANTHROPIC_BASE_URL: place.url,
      ANTHROPIC_API_KEY: "stand-in",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1", // or it refuses full permissions to root
    },
  }),
};

guardCases(claude);
sandboxCases(claude);

/** With these, `init` makes claude ask over HTTP if the settings belong to one person. */
async function overHttp({ warm }: GuardPlace) {
  if (warm === undefined) return {};
  return {
    http: httpHook("claude", await openHttpAccess(warm)),
    start: hookLine("claude", { how: "start" }),
    revive: hookLine("claude", { how: "revive" }),
  };
}
