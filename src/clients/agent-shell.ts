import { agentOfPackage, isAgent } from "../core/shell/programs/agents/agent-names.ts";
import type { SeenProcess } from "../workspace/process/process-ancestors.ts";

/** What each client sets for the commands of its agent, and a person's own shell does not have. */
const marks = {
  CLAUDECODE: "Claude Code",
  CODEX_THREAD_ID: "Codex",
  CODEX_SANDBOX: "Codex",
  CODEX_SANDBOX_NETWORK_DISABLED: "Codex",
  COPILOT_CLI: "Copilot",
  GEMINI_CLI: "Gemini CLI",
  OPENCODE: "OpenCode",
  CURSOR_AGENT: "Cursor",
} as const;

export const agentMarks: readonly string[] = Object.keys(marks);

type Environment = SeenProcess["environment"];

/** A client whose agent's shell this is. */
export interface AgentShell {
  readonly client: string;
  /** By what it was recognised. */
  readonly sign: string;
  /** The client's own process; undefined where only variables tell. */
  readonly process: SeenProcess | undefined;
}

/** In the environment of the command itself. */
export function markedShell(environment: Environment): Omit<AgentShell, "process"> | undefined {
  const [mark, client] = markIn(environment) ?? [];
  return mark === undefined || client === undefined ? undefined : { client, sign: `${mark} is set` };
}

/** The clients above a process, the outermost first: by their names, or by what they set for what they start. */
export function clientsAbove(ancestors: readonly SeenProcess[]): readonly AgentShell[] {
  return ancestors
    .flatMap((seen, index): AgentShell[] => {
      const name = clientNamed(seen.words);
      if (name !== undefined)
        return [{ client: name, sign: `its parent process ${seen.pid} is \`${name}\``, process: seen }];
      const [mark, client] = markIn(seen.environment) ?? [];
      if (mark === undefined || client === undefined) return [];
      const sign = `${mark} is set for its parent process ${seen.pid}`;
      return [{ client, sign, process: ancestors[index + 1] ?? seen }];
    })
    .reverse();
}

function markIn(environment: Environment): readonly [string, string] | undefined {
  return Object.entries(marks).find(([name]) => environment[name]);
}

/** Editors that are agents too: what a person types in their terminals has them above it. */
const editors: ReadonlySet<string> = new Set(["cursor", "windsurf", "kiro"]);
const interpreters: ReadonlySet<string> = new Set(["node", "nodejs", "bun", "deno"]);

/** The client that was started with these words, itself or by an interpreter. */
function clientNamed(words: readonly string[]): string | undefined {
  const [program = "", ...rest] = words;
  const script = interpreters.has(baseName(program)) ? rest.find((word) => !word.startsWith("-")) : undefined;
  const path = script ?? program;
  const name = baseName(path).replace(/\.(?:[cm]?js|exe)$/, "");
  if (isAgent(name) && !editors.has(name)) return name;
  if (path.includes("/cursor-agent/versions/")) return "cursor-agent";
  const [, pack] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return pack === undefined ? undefined : agentOfPackage(pack);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
