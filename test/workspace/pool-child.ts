import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";

/**
 * Works on a task and removes its checkout: `node pool-child.ts ROOT TASK BASE WORDS [POINT]`. The process kills itself
 * before the change of the disk with the number POINT. Prints how many changes there were.
 */
const [, , root = "", task = "", base = "", words = "", at = "0"] = process.argv;
const point = Number(at);
const changing = ["renameSync", "rmSync", "mkdirSync", "writeFileSync", "copyFileSync", "chmodSync"] as const;
let changes = 0;

for (const name of changing) {
  const change = fs[name] as (...given: unknown[]) => unknown;
  fs[name] = ((...given: unknown[]) => {
    changes += 1;
    if (changes === point) process.kill(process.pid, "SIGKILL");
    return change(...given);
  }) as never;
}
syncBuiltinESMExports();

// Loaded after the functions are replaced.
const { openCheckout } = await import("../../src/workspace/checkouts/open-checkout.ts");
const { removeCheckout } = await import("../../src/workspace/checkouts/remove-checkout.ts");

const commonFolder = join(root, ".git");
const { checkout } = await openCheckout({
  ...{ commonFolder, root, session: null, task, attempt: 1, base, include: [], isContained: true },
});
fs.appendFileSync(join(checkout.folder, "a.txt"), `${words}\n`);
fs.appendFileSync(join(checkout.folder, "new.txt"), `${words}\n`);
await removeCheckout(checkout);
fs.writeSync(1, `${changes}\n`);
