/**
 * Lands or rolls back and is killed at a named point: `node integration-child.ts <point> land <branch…>`. With
 * `<point>:SIGSTOP` it is frozen there instead.
 */
import { openEngine } from "../../src/cli/open/open-engine.ts";
import { integrate } from "../../src/run/landing/integrate.ts";
import { rollBack } from "../../src/run/landing/undo/roll-back.ts";
import { readRepository } from "../../src/workspace/git/repository-state.ts";

const [, , asked = "", what = "", ...names] = process.argv;
const [point, signal = "SIGKILL"] = asked.split(":");
let moment = point;

using opened = await openEngine({ create: true });
const { engine, project, config } = opened;
const repository = await readRepository(project, config);
if ("error" in repository) throw new Error(repository.error);
const context = {
  ...{ engine, config, repository },
  call: { role: "person" as const },
  dryRun: false,
  onProgress: () => {},
  reached: (point: string) => {
    if (point !== moment) return;
    moment = undefined;
    process.kill(process.pid, signal);
  },
};
if (what === "land")
  await integrate(
    context,
    names.map((branch) => ({ branch, scope: null, checks: ["true"], proves: [] })),
  );
else await rollBack({ ...context, allowRed: false }, { level: "task", name: names[0] ?? "" });
