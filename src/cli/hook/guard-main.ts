import { writeOrThrow } from "../output/descriptor.ts";
import { guardCommand } from "./guard.ts";

// The exit code is 2 until there is an answer, so that an earlier failure also refuses the call.
guardCommand(process.argv.slice(3)).then(
  (exit) => process.exit(exit),
  (error: unknown) => {
    writeOrThrow(2, `lockstep: E-INTERNAL: ${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  },
);
