import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const tests = new URL("../test/", import.meta.url).pathname;

/** Every shell command of the vectors and of the corpus, once. */
export function shellCommands(): readonly string[] {
  const corpus = join(tests, "corpus");
  const files = existsSync(corpus)
    ? readdirSync(corpus)
        .filter((file) => file.endsWith(".jsonl"))
        .map((file) => join(corpus, file))
    : [];
  const commands = [join(tests, "vectors", "guard.jsonl"), ...files].flatMap(commandsIn);
  return [...new Set(commands)];
}

function commandsIn(file: string): readonly string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").flatMap((line) => commandOf(JSON.parse(line)));
}

/** The vectors name the tool of a row; in the corpus every row with a command is for the shell. */
function commandOf(row: unknown): readonly string[] {
  if (typeof row !== "object" || row === null) return [];
  const { tool, input, command } = row as { tool?: unknown; input?: unknown; command?: unknown };
  const text = tool === undefined ? (command ?? input) : tool === "Bash" ? input : undefined;
  return typeof text === "string" ? [text] : [];
}
