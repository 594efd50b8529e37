/** Programs that are coding agents, by the name they are started with. */
const agentPrograms = new Set(
  "claude claude-code codex gemini gemini-cli opencode copilot cursor-agent cursor aider amp goose crush qwen qwen-code droid auggie kiro kiro-cli cline cn openhands plandex codebuff kilocode kimi iflow jules rovodev windsurf ccr claude-flow gptme devin".split(
    " ",
  ),
);

/** Packages whose program is not named like the last part of the package name. */
const packagePrograms = new Map([
  ["@anthropic-ai/claude-code", "claude"],
  ["@openai/codex", "codex"],
  ["@google/gemini-cli", "gemini"],
  ["@github/copilot", "copilot"],
  ["@qwen-code/qwen-code", "qwen"],
  ["@sourcegraph/amp", "amp"],
  ["@charmland/crush", "crush"],
  ["@augmentcode/auggie", "auggie"],
  ["@continuedev/cli", "cn"],
  ["opencode-ai", "opencode"],
  ["aider-chat", "aider"],
  ["@musistudio/claude-code-router", "ccr"],
  ["typescript", "tsc"],
  ["@angular/cli", "ng"],
  ["@vue/cli", "vue"],
  ["@nestjs/cli", "nest"],
  ["@babel/cli", "babel"],
  ["@swc/cli", "swc"],
  ["@commitlint/cli", "commitlint"],
  ["@redocly/cli", "redocly"],
  ["@sentry/cli", "sentry-cli"],
  ["@tailwindcss/cli", "tailwindcss"],
  ["postcss-cli", "postcss"],
  ["dotenv-cli", "dotenv"],
]);

export function isAgent(name: string): boolean {
  return agentPrograms.has(name);
}

/** The program that `npx PACKAGE` starts: the name without version and scope. */
export function programOfPackage(spelled: string): string {
  const at = spelled.indexOf("@", 1);
  const name = at < 0 ? spelled : spelled.slice(0, at);
  return packagePrograms.get(name) ?? name.slice(name.lastIndexOf("/") + 1);
}

/** The agent in a package, or undefined. */
export function agentOfPackage(name: string): string | undefined {
  const program = programOfPackage(name);
  return isAgent(program) && (packagePrograms.has(name) || program === name) ? program : undefined;
}

export const agentNames: readonly string[] = [...agentPrograms];
