import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { worklogPath } from "./ordinary-payloads.ts";

export interface ScratchProject extends Disposable {
  readonly root: string;
}

/** A throw-away project that the ordinary calls are allowed in. */
export function scratchProject(): ScratchProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-bench-")));
  const files = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "src/orders/price.ts": "export const cents = 100;\n",
    "tests/orders.test.ts": "// tests\n",
    [worklogPath]: "rounded prices half-even\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}
