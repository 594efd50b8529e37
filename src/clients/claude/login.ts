import { field } from "../../core/values/fields.ts";
import { networkVariables } from "../../workspace/process/network-variables.ts";
import type { Probe } from "../agent.ts";
import { findAnswer } from "../answer/find-answer.ts";
import { askProgram, readVersion } from "../process/ask-program.ts";

const bedrock = [
  ...["AWS_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
  ...["AWS_BEARER_TOKEN_BEDROCK", "ANTHROPIC_BEDROCK_BASE_URL"],
];
const vertex = [
  ...["ANTHROPIC_VERTEX_PROJECT_ID", "ANTHROPIC_VERTEX_BASE_URL", "CLOUD_ML_REGION"],
  "GOOGLE_APPLICATION_CREDENTIALS",
];
const foundry = ["ANTHROPIC_FOUNDRY_RESOURCE", "ANTHROPIC_FOUNDRY_BASE_URL", "ANTHROPIC_FOUNDRY_API_KEY"];

/** A cloud's keys give access to more than its models, so they are passed only if they are the login. */
export function loginVariables(own: Readonly<Record<string, string | undefined>>): readonly string[] {
  const through = (name: string, variables: readonly string[]) =>
    (own[name] ?? "") === "" ? [] : [name, ...variables];
  return [
    ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"],
    ...["ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL"],
    ...["OPUS", "SONNET", "HAIKU"].map((name) => `ANTHROPIC_DEFAULT_${name}_MODEL`),
    ...through("CLAUDE_CODE_USE_BEDROCK", bedrock),
    ...through("CLAUDE_CODE_USE_VERTEX", vertex),
    ...through("CLAUDE_CODE_USE_FOUNDRY", foundry),
    ...networkVariables,
  ];
}

/** The installed version, if it is logged in. Its server is not asked. */
export async function checkLogin(ask: {
  readonly passes: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}): Promise<{ readonly version: string } | Extract<Probe, { usable: false }>> {
  const found = readVersion("claude", await askProgram(["claude", "--version"], ask));
  if ("usable" in found || !knowsLogin(found.version)) return found;
  const { text } = await askProgram(["claude", "auth", "status"], ask);
  if (field(findAnswer(text), "loggedIn") !== false) return found;
  const reason = "`claude` is not logged in: run `claude auth login`, or set ANTHROPIC_API_KEY";
  return { usable: false, why: "unauthenticated", reason };
}

/** Older versions could take `auth status` for a prompt. */
function knowsLogin(version: string): boolean {
  return version.localeCompare("2.1.197", "en", { numeric: true }) >= 0;
}
