import { approves as approvesForClaude } from "../../clients/claude/approves.ts";
import { parse as parseClaude } from "../../clients/claude/parse.ts";
import { render as renderClaude } from "../../clients/claude/render.ts";
import { parse as parseCodex } from "../../clients/codex/parse.ts";
import { render as renderCodex } from "../../clients/codex/render.ts";
import { parse as parseCopilot } from "../../clients/copilot/parse.ts";
import { render as renderCopilot } from "../../clients/copilot/render.ts";
import { parse as parseCursor } from "../../clients/cursor/parse.ts";
import { render as renderCursor } from "../../clients/cursor/render.ts";
import { parse as parseGemini } from "../../clients/gemini/parse.ts";
import { render as renderGemini } from "../../clients/gemini/render.ts";
import { parse as parseOpencode } from "../../clients/opencode/parse.ts";
import { render as renderOpencode } from "../../clients/opencode/render.ts";
import type { ClientName } from "../../contract/client-names.ts";
import type { GuardedClient } from "../../contract/tool-call.ts";

export const guardedClients: Readonly<Record<ClientName, GuardedClient>> = {
  claude: { parse: parseClaude, render: renderClaude, approves: approvesForClaude },
  codex: { parse: parseCodex, render: renderCodex },
  gemini: { parse: parseGemini, render: renderGemini },
  copilot: { parse: parseCopilot, render: renderCopilot },
  opencode: { parse: parseOpencode, render: renderOpencode },
  cursor: { parse: parseCursor, render: renderCursor },
};

export function guardedClient(name: string): GuardedClient | undefined {
  return Object.hasOwn(guardedClients, name) ? guardedClients[name as ClientName] : undefined;
}
