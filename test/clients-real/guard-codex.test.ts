import { vi } from "vitest";
import { install, settingsFiles, trust } from "../../src/clients/codex/install.ts";
import { ourCodexHooks } from "../../src/guard/setup/trust-codex.ts";
import { guardCases } from "./support/guard-cases.ts";
import { type GuardedCase, type GuardPlace, put } from "./support/guarded-client.ts";
import { installClient } from "./support/install-client.ts";
import { openaiStandIn } from "./support/openai.ts";
import { sandboxCases } from "./support/sandbox-cases.ts";

const patch = (...lines: string[]) => ({
  name: "apply_patch",
  input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
});

const codex: GuardedCase = {
  client: "codex",
  installed: await installClient("codex", "@openai/codex", "0.166.0"),
  calls: {
    write: (path) => patch(`*** Add File: ${path}`, "+made"),
    edit: (path) => [patch(`*** Update File: ${path}`, "@@", "-x", "+y")],
    shell: (cmd) => ({ name: "exec_command", input: { cmd, yield_time_ms: 30_000 } }),
    background: (cmd) => ({ name: "exec_command", input: { cmd, yield_time_ms: 1000 } }),
    spawn: (message) => ({ name: "spawn_agent", namespace: "multi_agent_v1", input: { message } }),
  },
  rules: {
    "a rule forbids it": {
      files: { "~/.codex/rules/default.rules": 'prefix_rule(pattern = ["node"], decision = "forbidden")\n' },
      runs: false,
    },
    "full access": { permits: ["--sandbox", "danger-full-access"], runs: true },
  },
  standIn: openaiStandIn,
  hooks: async (place) => {
    put(place, settingsFiles.shared, install(null, place));
    await trustHooks(place);
  },
  trust: trustHooks,
  start: (place) => {
    place.home.write(".codex/config.toml", settings(place));
    const permits = place.permits ?? ["--dangerously-bypass-approvals-and-sandbox"];
    return {
      words: ["codex", "exec", "--json", ...permits, place.prompt],
      env: { STAND_IN_KEY: "stand-in" },
    };
  },
};

guardCases(codex);
sandboxCases(codex);

async function trustHooks(place: GuardPlace): Promise<void> {
  const trusted = trust(settings(place), await hooksOf(place), "config.toml");
  if (!trusted.ok) throw new Error(trusted.fault.problem);
  place.home.write(".codex/config.toml", trusted.text ?? "");
}

function settings({ url, folder }: GuardPlace): string {
  return [
    'model = "gpt-5.5"',
    'model_provider = "stand-in"',
    "check_for_update_on_startup = false",
    "[model_providers.stand-in]",
    'name = "stand-in"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "STAND_IN_KEY"',
    "[analytics]",
    "enabled = false",
    `[projects.${JSON.stringify(folder)}]`,
    'trust_level = "trusted"',
    "",
  ].join("\n");
}

/** The hooks that `init` asks for, in the person's environment. */
async function hooksOf({ folder, env, command }: GuardPlace) {
  for (const [name, value] of Object.entries({ ...env, STAND_IN_KEY: "stand-in" })) vi.stubEnv(name, value);
  try {
    return await ourCodexHooks(folder, command);
  } finally {
    vi.unstubAllEnvs();
  }
}
