import type { Config } from "../../contract/config.ts";
import { type ConfigFault, faultParts } from "../../workspace/config/config-fault.ts";
import { runProcess } from "../../workspace/process/run-process.ts";
import { findBubblewrap } from "../../workspace/sandbox/find-bubblewrap.ts";
import { broken, brokenBy, type Finding, off, ok } from "./finding.ts";

/** The first version with `merge-tree --write-tree`. */
const gitMin = [2, 38];
const msMax = 10_000;

/** Git, Node, the sandbox and the configuration; each configuration fault is one finding. */
export async function examineMachine(
  faults: readonly ConfigFault[],
  mode: Config["sandbox"],
): Promise<readonly Finding[]> {
  const configuration = faults.map((fault) => {
    const { place, problem, remedy } = faultParts(fault);
    return broken("configuration", `${place}: ${problem}`, remedy.replace(/^expected /, "write "));
  });
  return [
    await examineGit(),
    ok("node", process.version),
    await examineSandbox(mode),
    ...(faults.length === 0 ? [ok("configuration", "valid")] : configuration),
  ];
}

async function examineGit(): Promise<Finding> {
  const env = { PATH: process.env.PATH ?? "" };
  const { exit, tail } = await runProcess({ command: ["git", "--version"], cwd: "/", env, msMax });
  const [, version = "", major = "0", minor = "0"] = /((\d+)\.(\d+)[\w.]*)/.exec(tail) ?? [];
  if (exit !== 0) return broken("git", tail.trim().split("\n")[0] ?? "", "install git");
  const [least = 0, second = 0] = gitMin;
  const isNew = Number(major) > least || (Number(major) === least && Number(minor) >= second);
  if (isNew) return ok("git", version);
  return broken("git", `${version} is too old`, `install git ${gitMin.join(".")} or newer`);
}

async function examineSandbox(mode: Config["sandbox"]): Promise<Finding> {
  if (mode === "off") return off("sandbox", "`sandbox: off` in the configuration", null);
  const found = await findBubblewrap({ platform: process.platform, path: process.env.PATH ?? "" });
  if ("sandbox" in found) return ok("sandbox", "bubblewrap works");
  const { detail, fix, ...finding } = brokenBy("sandbox", found.missing);
  if (mode === "required") return { ...finding, detail, fix };
  return off(
    "sandbox",
    `${detail}; without it, agents are limited only by the guard and the scope check`,
    fix,
  );
}
