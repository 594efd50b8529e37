import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { networkVariables } from "../../workspace/process/network-variables.ts";
import type { AgentClient, AgentStart, Probe } from "../agent.ts";
import { askProgram, readVersion } from "../process/ask-program.ts";
import { type ClientSettings, streamClient, type Words } from "../process/stream-client.ts";
import { copilotHome } from "./home.ts";
import { CopilotReading } from "./read-stream.ts";

const quiet = { COPILOT_AUTO_UPDATE: "false" };

/** GH_TOKEN and GITHUB_TOKEN are left out, although Copilot accepts them: they allow a push. */
const passes = [
  ...["COPILOT_HOME", "COPILOT_GITHUB_TOKEN", "COPILOT_GH_HOST", "GH_HOST", "COPILOT_MODEL"],
  "COPILOT_OFFLINE",
  ...["BASE_URL", "TYPE", "API_KEY", "API_KEY_COMMAND", "BEARER_TOKEN", "WIRE_API", "TRANSPORT", "HEADERS"]
    .concat("AZURE_API_VERSION", "MODEL_ID", "WIRE_MODEL", "MAX_PROMPT_TOKENS", "MAX_OUTPUT_TOKENS")
    .map((name) => `COPILOT_PROVIDER_${name}`),
  ...networkVariables,
];

export function copilotAgent(settings: ClientSettings): AgentClient {
  const person: NodeJS.ProcessEnv = { ...process.env, ...settings.env };
  const home = copilotHome(person.COPILOT_HOME);
  const [{ path: folder } = { path: "" }] = home.folders;
  const clientFor = (session: string) =>
    streamClient(
      {
        program: "copilot",
        install: "`npm install -g @github/copilot`, and `copilot login` once",
        can: { resume: true, hooks: true, usage: true, cost: false, model: true, structured: false },
        home,
        passes,
        words: (start) => wordsFor(start, session, settings),
        read: ({ outside }) => new CopilotReading(outside(folder), session),
        check: async () => {
          const env = { ...settings.env, ...quiet };
          const asked = await askProgram(["copilot", "--version"], { passes, env });
          const text = asked.text.replace(/\.$/m, ""); // the version is at the end of a sentence
          return notLoggedIn(person, folder) ?? readVersion("copilot", { ...asked, text });
        },
        resumeCommand: (conversation) => ["copilot", `--resume=${conversation}`],
      },
      settings,
    );
  return {
    ...clientFor(""),
    // Copilot reports its session id only at the end, so Lockstep sets one.
    start: (start) => clientFor(start.resume ?? randomUUID()).start(start),
  };
}

/** Without a prompt argument, Copilot reads the prompt from stdin. The project's folder is not trusted. */
function wordsFor(
  { prompt, sandboxed }: AgentStart,
  session: string,
  { model, args }: ClientSettings,
): Words {
  return {
    input: prompt,
    words: [
      ...["--output-format", "json", `--session-id=${session}`, "--no-color"],
      ...["--no-ask-user", "--no-auto-update", "--disable-client-telemetry", "--no-remote-export"],
      "--disable-builtin-mcps", // with them it could write to GitHub
      // Without a sandbox: edits, and commands that stay in the folder as far as Copilot can tell. The rest is denied.
      ...(sandboxed ? ["--allow-all", "--no-sandbox"] : ["--allow-tool=write", "--allow-tool=shell"]),
      ...(model === null ? [] : ["--model", model]),
      ...args,
    ],
    env: quiet,
  };
}

/** In doubt it counts as logged in: it may use the GitHub CLI's token. */
function notLoggedIn(person: NodeJS.ProcessEnv, home: string): Extract<Probe, { usable: false }> | undefined {
  if (["COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"].some((name) => person[name])) return undefined;
  if (existsSync(join(homedir(), ".config", "gh", "hosts.yml")) || hasUser(join(home, "config.json")))
    return undefined;
  const reason = "`copilot` is not logged in: run `copilot login`, or set COPILOT_GITHUB_TOKEN";
  return { usable: false, why: "unauthenticated", reason };
}

function hasUser(file: string): boolean {
  return existsSync(file) && /"(?:lastL|l)oggedInUsers?"/.test(readFileSync(file, "utf8"));
}
