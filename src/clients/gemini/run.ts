import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { networkVariables } from "../../workspace/process/network-variables.ts";
import type { AgentClient, Probe } from "../agent.ts";
import { askProgram, readVersion } from "../process/ask-program.ts";
import { type ClientSettings, streamClient } from "../process/stream-client.ts";
import { ChatUsage } from "./chat-usage.ts";
import { geminiHome } from "./home.ts";
import { GeminiReading } from "./read-stream.ts";

/** Each of these variables alone selects a login. */
const logins = [
  ...["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"],
  ...["GEMINI_CLI_USE_COMPUTE_ADC", "CLOUD_SHELL"],
];
const servers = ["GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"];
const passes = [
  ...[...logins, ...servers, "GEMINI_CLI_HOME", "GEMINI_MODEL", "GOOGLE_GENAI_API_VERSION"],
  ...["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID", "GOOGLE_CLOUD_LOCATION"],
  ...networkVariables,
];

export function geminiAgent(settings: ClientSettings): AgentClient {
  const person: NodeJS.ProcessEnv = { ...process.env, ...settings.env };
  const home = geminiHome(person.GEMINI_CLI_HOME);
  const [{ path: folder } = { path: "" }] = home.folders;
  // A cloud's keys give access to more than its models, so they are passed only if they are the login.
  const cloud = person.GOOGLE_GENAI_USE_VERTEXAI === "true" ? ["GOOGLE_APPLICATION_CREDENTIALS"] : [];
  return streamClient(
    {
      program: "gemini",
      install: "`npm install -g @google/gemini-cli`, or correct the agent's `adapter`",
      can: { resume: true, hooks: true, usage: true, cost: false, model: true, structured: false },
      home,
      passes: [...passes, ...cloud],
      noise: /^(?:Warning: 256-color|YOLO mode is enabled|Ripgrep is not available|\[STARTUP\])/,
      words: (start, { model, args }) => ({
        words: [
          ...["--output-format", "stream-json"],
          // The folder is not trusted, so the project's own settings, hooks and MCP servers are not read.
          "--skip-trust",
          ...approvals(start.sandboxed),
          ...(model === null ? [] : ["--model", model]),
          ...(start.resume === undefined ? [] : ["--resume", start.resume]),
          ...args,
        ],
        env: {
          GEMINI_TELEMETRY_ENABLED: "false",
          ...(start.sandboxed ? { GEMINI_SANDBOX: "false" } : {}),
          ...ownServers({ ...start.env, ...settings.env }),
        },
        input: withoutReferences(start.prompt),
      }),
      read: ({ outside, resume }) => new GeminiReading(new ChatUsage(outside(folder), resume)),
      check: async () => {
        const fault = notLoggedIn(person, folder);
        if (fault !== undefined) return fault;
        const asked = await askProgram(["gemini", "--version"], { passes, env: settings.env });
        return readVersion("gemini", asked);
      },
      resumeCommand: (conversation) => ["gemini", "--resume", conversation],
    },
    settings,
  );
}

/** Without a sandbox: only edits in its folder and the shell. Gemini refuses everything that it would have to ask for. */
function approvals(sandboxed: boolean): readonly string[] {
  if (sandboxed) return ["--approval-mode", "yolo"];
  return ["--approval-mode", "auto_edit", "--allowed-tools=run_shell_command"];
}

/** Always set, even if empty: otherwise the project's `.env` could send the user's key to another server. */
function ownServers(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(servers.map((name) => [name, env[name] ?? ""]));
}

/** Gemini would replace every `@name` by a file, also in mail addresses. */
function withoutReferences(prompt: string): string {
  const escaped = prompt.replace(/(?<!\\)@/g, "\\@");
  return escaped === prompt ? prompt : `(Read every \\@ below as an at sign.)\n\n${escaped}`;
}

/** In doubt it counts as logged in: a key may be in the keychain, or in a file that Gemini reads by itself. */
function notLoggedIn(env: NodeJS.ProcessEnv, folder: string): Extract<Probe, { usable: false }> | undefined {
  if (logins.some((name) => env[name] !== undefined)) return undefined;
  const files = [join(folder, "oauth_creds.json"), join(folder, ".env"), join(homedir(), ".env")];
  if (files.some((file) => existsSync(file)) || choseLogin(join(folder, "settings.json"))) return undefined;
  const reason = "`gemini` is not logged in: start it once and choose a login, or set `GEMINI_API_KEY`";
  return { usable: false, why: "unauthenticated", reason };
}

function choseLogin(file: string): boolean {
  return existsSync(file) && /"selectedType"\s*:/.test(readFileSync(file, "utf8"));
}
