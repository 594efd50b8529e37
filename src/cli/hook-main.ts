import { hookCommand } from "./hook.ts";

// The exit code is set by the command itself, so that it holds even if this module never gets further.
await hookCommand(process.argv.slice(3));
