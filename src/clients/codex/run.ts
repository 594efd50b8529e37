import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { networkVariables } from "../../workspace/process/network-variables.ts";
import type { AgentClient, AgentStart, Probe } from "../agent.ts";
import { askProgram, readVersion } from "../process/ask-program.ts";
import { type ClientSettings, streamClient, type Words } from "../process/stream-client.ts";
import { codexHome } from "./home.ts";
import { CodexReading } from "./read-stream.ts";
import { ThreadUsage } from "./thread-usage.ts";

export function codexAgent(settings: ClientSettings): AgentClient {
  const person = { ...process.env, ...settings.env };
  const home = codexHome(person.CODEX_HOME);
  const [{ path: folder } = { path: "" }] = home.folders;
  const passes = ["CODEX_HOME", "CODEX_API_KEY", "TZ", ...keysIn(folder), ...networkVariables];
  return streamClient(
    {
      program: "codex",
      install: "`npm install -g @openai/codex`, and `codex login` once",
      can: { resume: true, hooks: true, usage: true, cost: false, model: true, structured: false },
      home,
      passes,
      noise:
        /could not create PATH aliases|failed to install system skills|failed to record rollout items|^Reading (?:additional input|prompt) from stdin/,
      words: wordsFor,
      read: ({ outside, resume }) => new CodexReading(new ThreadUsage(outside(folder), resume)),
      check: () => check(person, folder, { passes, env: settings.env }),
      resumeCommand: (conversation) => ["codex", "resume", conversation],
    },
    settings,
  );
}

function wordsFor({ prompt, folder, sandboxed, resume }: AgentStart, { model, args }: ClientSettings): Words {
  return {
    input: resume === undefined ? withGuide(prompt, folder) : prompt,
    words: [
      ...["exec", "--json", "--skip-git-repo-check"],
      ...quiet.flatMap((setting) => ["-c", setting]),
      // Otherwise Codex trusts the folder, and starts programs from the project's own settings.
      ...["-c", `projects={${JSON.stringify(folder)}={trust_level="untrusted"}}`],
      ...(sandboxed ? ["--dangerously-bypass-approvals-and-sandbox"] : strict.flatMap((one) => ["-c", one])),
      ...(model === null ? [] : ["--model", model]),
      ...args,
      ...(resume === undefined ? [] : ["resume", resume]),
      "-",
    ],
  };
}

const quiet = [
  "check_for_update_on_startup=false",
  "analytics.enabled=false",
  "allow_login_shell=false", // on Debian a login shell resets PATH, and `lockstep` is not found
  "features.unbounded_connection_retries=false", // otherwise it waits for ever for an unreachable server
];

/** Codex's own sandbox: writes in the folder and in temporary folders. Network access is needed for Lockstep's socket. */
const strict = [
  'approval_policy="never"',
  'sandbox_mode="workspace-write"',
  "sandbox_workspace_write.network_access=true",
];

/** Codex does not read the instructions of an untrusted folder by itself. */
function withGuide(prompt: string, folder: string): string {
  if (!existsSync(join(folder, "AGENTS.md"))) return prompt;
  return `\`AGENTS.md\` has this project's instructions: read it before you begin, and follow it.\n\n${prompt}`;
}

/** The variables for other providers' keys that its settings name. */
function keysIn(home: string): readonly string[] {
  return [...settingsIn(home).matchAll(/^\s*env_key\s*=\s*["'](\w+)["']/gm)].map(
    ([, name]) => name as string,
  );
}

function settingsIn(home: string): string {
  const file = join(home, "config.toml");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** Codex only knows about its own login. For other providers the login is not checked. */
async function check(
  person: NodeJS.ProcessEnv,
  home: string,
  ask: Parameters<typeof askProgram>[1],
): Promise<{ readonly version: string | null } | Extract<Probe, { usable: false }>> {
  const found = readVersion("codex", await askProgram(["codex", "--version"], ask));
  if ("usable" in found || person.CODEX_API_KEY || /^\s*model_provider\s*=/m.test(settingsIn(home)))
    return found;
  const { exit, text } = await askProgram(["codex", "login", "status"], ask);
  if (exit === 0 || !/not logged in/i.test(text)) return found;
  const reason = "`codex` is not logged in: run `codex login`, or set CODEX_API_KEY";
  return { usable: false, why: "unauthenticated", reason };
}
