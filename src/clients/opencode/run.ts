import { existsSync } from "node:fs";
import { join } from "node:path";
import { networkVariables } from "../../workspace/process/network-variables.ts";
import type { AgentClient, AgentStart, Probe } from "../agent.ts";
import { askProgram, readVersion } from "../process/ask-program.ts";
import { type ClientSettings, streamClient, type Words } from "../process/stream-client.ts";
import { makeSettings, opencodeHome, quiet } from "./home.ts";
import { endingLongWaits } from "./long-waits.ts";
import { OpencodeReading } from "./read-stream.ts";

/** Without a sandbox: only the folder and the shell. The rest is `deny`, because OpenCode ends at an unanswered question. */
const strict = {
  "*": "deny",
  ...{ read: "allow", edit: "allow", glob: "allow", grep: "allow", list: "allow", todowrite: "allow" },
  ...{ bash: "allow", external_directory: "deny" },
};

export function opencodeAgent(settings: ClientSettings): AgentClient {
  const home = opencodeHome({ ...process.env, ...settings.env });
  const passes = [...variables, ...keysFor(settings.model), ...networkVariables];
  return endingLongWaits(
    streamClient(
      {
        program: "opencode",
        install: "`npm install -g opencode-ai`, and `opencode auth login` once",
        can: { resume: true, hooks: true, usage: true, cost: true, model: true, structured: false },
        home,
        passes,
        words: wordsFor,
        read: () => new OpencodeReading(),
        check: async () => {
          const checked = await check(settings);
          if (!("usable" in checked)) makeSettings(home);
          return checked;
        },
        resumeCommand: (conversation) => ["opencode", "--session", conversation],
      },
      settings,
    ),
  );
}

function wordsFor(
  { sandboxed, resume, prompt, folder, env }: AgentStart,
  { model, args }: ClientSettings,
): Words {
  const guide = ["AGENTS.md", "CLAUDE.md"].map((name) => join(folder, name)).find((file) => existsSync(file));
  return {
    words: [
      ...["run", "--format", "json"],
      ...["--print-logs", "--log-level", "ERROR"], // only the log shows that it waits for its server
      ...["--title", `Lockstep ${env.LOCKSTEP_TASK ?? ""}`.trim()], // otherwise a model is asked for a title
      ...(sandboxed ? ["--auto"] : []),
      ...(model === null ? [] : ["--model", model]),
      ...(resume === undefined ? [] : ["--session", resume]),
      ...args,
    ],
    env: {
      ...quiet,
      // Otherwise the guide is ignored together with the project's settings.
      ...(guide !== undefined && { OPENCODE_CONFIG_CONTENT: JSON.stringify({ instructions: [guide] }) }),
      ...(!sandboxed && { OPENCODE_PERMISSION: JSON.stringify(strict) }),
    },
    input: prompt,
  };
}

const variables = [
  ...["XDG_DATA_HOME", "XDG_CONFIG_HOME"],
  ...["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_AUTH_CONTENT"],
];
const providerKeys: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  deepseek: ["DEEPSEEK_API_KEY"],
  google: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
  groq: ["GROQ_API_KEY"],
  mistral: ["MISTRAL_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  opencode: ["OPENCODE_API_KEY"],
  openrouter: ["OPENROUTER_API_KEY"],
  xai: ["XAI_API_KEY"],
};

/** The keys of the model's provider; `workspace.env_pass` adds others. */
function keysFor(model: string | null): readonly string[] {
  if (model === null) return Object.values(providerKeys).flat();
  return providerKeys[model.split("/")[0] ?? ""] ?? [];
}

/** OpenCode reports a provider without a login as unknown. */
async function check({
  model,
  env,
}: ClientSettings): Promise<{ readonly version: string | null } | Extract<Probe, { usable: false }>> {
  // With all of the user's variables, because each provider reads different ones.
  const ask = { passes: Object.keys(process.env), env: { ...env, ...quiet } };
  const found = readVersion("opencode", await askProgram(["opencode", "--version"], ask));
  if ("usable" in found || model === null) return found;
  const [provider = ""] = model.split("/");
  const { text } = await askProgram(["opencode", "models", provider], ask);
  if (!text.includes("Provider not found")) return found;
  const reason = `\`opencode\` is not logged in at \`${provider}\`: run \`opencode auth login\`, or correct the agent's \`model\``;
  return { usable: false, why: "unauthenticated", reason };
}
