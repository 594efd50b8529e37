import { hookCommand } from "./hook.ts";

// The command sets the exit code itself, so that a deny holds even if nothing after it runs.
void hookCommand(process.argv.slice(3));
