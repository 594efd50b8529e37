import { type TemporaryFolder, temporaryFolder } from "../test/support/temporary-folder.ts";
import { worklogPath } from "./ordinary-payloads.ts";

/** A throw-away project in which the ordinary calls are allowed. */
export function scratchProject(): TemporaryFolder {
  return temporaryFolder({
    ".git/HEAD": "ref: refs/heads/main\n",
    "src/orders/price.ts": "export const cents = 100;\n",
    "tests/orders.test.ts": "// tests\n",
    [worklogPath]: "rounded prices half-even\n",
  });
}
