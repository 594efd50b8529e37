import * as claude from "../../clients/claude/install.ts";
import * as codex from "../../clients/codex/install.ts";
import * as copilot from "../../clients/copilot/install.ts";
import * as cursor from "../../clients/cursor/install.ts";
import * as gemini from "../../clients/gemini/install.ts";
import * as opencode from "../../clients/opencode/install.ts";
import type { SettingsEdit } from "../../clients/settings/settings-edit.ts";
import type { ClientName } from "../../contract/client-names.ts";

export interface ClientHook {
  readonly command: string;
  /** For clients that call over HTTP: the handler, and the commands that start the server. */
  readonly http?: Readonly<Record<string, unknown>>;
  readonly start?: string;
  readonly revive?: string;
}

interface ClientSetup {
  /** Relative to the project's root; null if the client has no per-user file. */
  readonly files: { readonly personal: string | null; readonly shared: string };
  install(text: string | null, hook: ClientHook, file: string): SettingsEdit;
  uninstall(text: string, file: string): SettingsEdit;
  /** A folder in the project or at home that shows that the client is used. */
  readonly folder: string;
  readonly program: string;
  /** Other places below the home folder where its installers put it. */
  readonly installed?: readonly string[];
  /** Whether it reads the project's settings only if it is started in the project's root. */
  readonly onlyAtRoot: boolean;
  /** The file that its agents read about the project. */
  readonly guide: "CLAUDE.md" | "AGENTS.md" | "GEMINI.md";
}

export const clientSetups: Readonly<Record<ClientName, ClientSetup>> = {
  claude: {
    ...claude,
    files: claude.settingsFiles,
    folder: ".claude",
    program: "claude",
    onlyAtRoot: false,
    installed: [".local/bin/claude", ".claude/local/claude"],
    guide: "CLAUDE.md",
  },
  codex: {
    ...codex,
    files: codex.settingsFiles,
    folder: ".codex",
    program: "codex",
    onlyAtRoot: false,
    guide: "AGENTS.md",
  },
  gemini: {
    ...gemini,
    files: gemini.settingsFiles,
    folder: ".gemini",
    program: "gemini",
    onlyAtRoot: true,
    guide: "GEMINI.md",
  },
  copilot: {
    ...copilot,
    files: copilot.settingsFiles,
    folder: ".copilot",
    program: "copilot",
    onlyAtRoot: true,
    guide: "AGENTS.md",
  },
  opencode: {
    ...opencode,
    files: opencode.settingsFiles,
    folder: ".opencode",
    program: "opencode",
    onlyAtRoot: false,
    guide: "AGENTS.md",
  },
  cursor: {
    ...cursor,
    files: cursor.settingsFiles,
    folder: ".cursor",
    program: "cursor-agent",
    onlyAtRoot: false,
    guide: "AGENTS.md",
  },
};

export const guides = ["CLAUDE.md", "AGENTS.md", "GEMINI.md"] as const;
