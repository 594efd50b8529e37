import type { ClientName } from "../contract/client-names.ts";
import { agentOfPackage, isAgent } from "../core/shell/programs/agents/agent-names.ts";
import type { SeenProcess } from "../workspace/process/process-ancestors.ts";

/** Variables that a client sets for its agents' commands. A user's own shell does not have them. */
interface Marks {
  readonly title: string;
  readonly names: readonly string[];
  /** The one that holds the id of the client's session. */
  readonly session: string | null;
}

const marks: Readonly<Record<ClientName, Marks>> = {
  claude: { title: "Claude Code", names: ["CLAUDECODE"], session: "CLAUDE_CODE_SESSION_ID" },
  codex: {
    title: "Codex",
    names: ["CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
    session: "CODEX_THREAD_ID",
  },
  copilot: { title: "Copilot", names: ["COPILOT_CLI"], session: "COPILOT_AGENT_SESSION_ID" },
  gemini: { title: "Gemini CLI", names: ["GEMINI_CLI"], session: null },
  opencode: { title: "OpenCode", names: ["OPENCODE"], session: null },
  cursor: { title: "Cursor", names: ["CURSOR_AGENT"], session: null },
};

const titles = Object.values(marks).flatMap(({ title, names }) =>
  names.map((name) => [name, title] as const),
);

export const agentMarks: readonly string[] = titles.map(([name]) => name);

export const sessionMarks: readonly string[] = Object.values(marks).flatMap(({ session }) => session ?? []);

type Environment = SeenProcess["environment"];

/** The client whose agent runs this shell. */
export interface AgentShell {
  readonly client: string;
  /** How it was recognised. */
  readonly sign: string;
  /** The client's own process; undefined if only variables show the client. */
  readonly process: SeenProcess | undefined;
}

/** The client that the command's own environment shows. */
export function markedShell(environment: Environment): Omit<AgentShell, "process"> | undefined {
  const [mark, client] = markIn(environment) ?? [];
  return mark === undefined || client === undefined ? undefined : { client, sign: `${mark} is set` };
}

/** The clients above a process, the outermost first, recognised by their names or by the variables that they set. */
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
  return titles.find(([name]) => environment[name]);
}

/** Editors that are also agents. They do not count, because users type commands in their terminals. */
const editors: ReadonlySet<string> = new Set(["cursor", "windsurf", "kiro"]);
const interpreters: ReadonlySet<string> = new Set(["node", "nodejs", "bun", "deno"]);

/** The client that these words start, directly or through an interpreter. */
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
