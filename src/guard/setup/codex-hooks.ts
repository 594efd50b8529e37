import { type ChildProcess, spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TrustedHook, trust, trustedHooks } from "../../clients/codex/install.ts";
import type { SettingsEdit } from "../../clients/settings/settings-edit.ts";
import { readJson } from "../../core/text/read-json.ts";
import { field } from "../../core/values/fields.ts";

const msMax = 15_000;

/** One hook of the project, as Codex sees it. */
export interface CodexHook extends TrustedHook {
  readonly command: string;
  readonly trusted: boolean;
}

export function codexHome(environment: NodeJS.ProcessEnv = process.env): string {
  return environment.CODEX_HOME || join(homedir(), ".codex");
}

/** The user's file with these hooks marked as trusted. Trust for other projects is kept. */
export function withTrust(
  text: string | null,
  hooks: readonly TrustedHook[],
  { file, projects }: { readonly file: string; readonly projects: readonly string[] },
): SettingsEdit {
  const readable = trust(text, [], file);
  if (!readable.ok || text === null) return trust(text, hooks, file);
  const isOwn = (key: string) => projects.some((project) => key.startsWith(`${project}:`));
  const others = trustedHooks(text).filter(({ key }) => !isOwn(key));
  return trust(text, [...others, ...hooks], file);
}

/** Asks `codex app-server` which hooks of these files it sees. Empty if Codex does not trust the folder. */
export async function listCodexHooks(
  root: string,
  projects: readonly string[],
): Promise<readonly CodexHook[]> {
  const child = spawn("codex", ["app-server"], { cwd: root, stdio: ["pipe", "pipe", "ignore"] });
  const late = setTimeout(() => child.kill("SIGKILL"), msMax);
  try {
    const result = await converse(child, root);
    const [place] = listIn(result, "data");
    return listIn(place, "hooks").flatMap((hook) => {
      const [key, hash, command, source] = ["key", "currentHash", "command", "sourcePath"].map((name) =>
        field(hook, name),
      );
      if (typeof key !== "string" || typeof hash !== "string") return [];
      if (typeof source !== "string" || !projects.includes(source)) return [];
      const trusted = field(hook, "trustStatus") === "trusted";
      return [{ key, hash, command: typeof command === "string" ? command : "", trusted }];
    });
  } finally {
    clearTimeout(late);
    child.kill("SIGKILL");
  }
}

async function converse(child: ChildProcess, root: string): Promise<unknown> {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("codex has no pipes");
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  stdin.on("error", () => {}); // the process has ended; the end of its output reports that
  const say = (message: object) => void stdin.write(`${JSON.stringify(message)}\n`);
  say({
    id: 1,
    method: "initialize",
    params: { clientInfo: { name: "lockstep", title: null, version: "1" } },
  });
  const answered = (async () => {
    for await (const line of createInterface({ input: stdout })) {
      const message = readJson(line);
      if (field(message, "id") === 1) {
        say({ method: "initialized" });
        say({ id: 2, method: "hooks/list", params: { cwds: [root] } });
      }
      if (field(message, "id") === 2) return field(message, "result");
    }
    throw new Error("`codex app-server` did not list its hooks");
  })();
  return await Promise.race([answered, failed]);
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = field(value, name);
  return Array.isArray(list) ? list : [];
}
