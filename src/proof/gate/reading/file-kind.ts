export type FileKind = "script" | "json" | "jsonc" | "yaml";

const script = /\.[cm]?[jt]sx?$/;
/** Where comments and trailing commas are usual, whatever the name ends in. */
const commented =
  /(?:^|\/)(?:\.vscode|\.devcontainer)\/.*\.json$|(?:^|\/)(?:tsconfig|jsconfig|api-extractor|devcontainer|\.eslintrc|\.swcrc|deno|turbo|nx|typedoc|rush|language-configuration)(?:[.-][\w.-]+)?\.json$|\.(?:jsonc|code-workspace)$/;

/** What Lockstep can read by itself. */
export function fileKind(path: string): FileKind | undefined {
  if (script.test(path)) return "script";
  if (commented.test(path)) return "jsonc";
  if (path.endsWith(".json")) return "json";
  return /\.ya?ml$/.test(path) ? "yaml" : undefined;
}

const tryout =
  /(?:^|\/)(?:__tests__|__mocks__|tests?|specs?|e2e|cypress|playwright|mocks?|fixtures?)\/|[.-](?:test|spec|stories|mock|cy|e2e)\.[cm]?[jt]sx?$/;

/** Tests and stand-ins call what is not there, and serve what nobody calls. */
export function isTryout(path: string): boolean {
  return tryout.test(path);
}
