import type { Command } from "commander";
import { endsWith, json } from "./options.ts";

/** The code behind a command is loaded when it is called. */
export function addSettingUp(program: Command): void {
  program
    .command("init")
    .description("hooks for the coding clients that are used here, and a configuration to edit")
    .option("--client <name...>", "only these: claude, codex, gemini, copilot, opencode, cursor")
    .option("--shared", "in the settings that are committed, where a client also has personal ones")
    .option("--orchestrator", "also the self-check, in CLAUDE.md, AGENTS.md and GEMINI.md")
    .option("--roles", "also what each role is told, in .lockstep/roles, to edit")
    .option("--dry-run", "show the difference, and write nothing")
    .option("--remove", "take out what it wrote, and nothing else")
    .action(async (options) => endsWith((await import("./init.ts")).initCommand(options)));
  program
    .command("doctor")
    .description(
      "does everything work here? what does not, and how to mend it; exit 1 if something is broken",
    )
    .option(...json)
    .action(async (options) => endsWith((await import("../doctor/doctor.ts")).doctorCommand(options)));
}
