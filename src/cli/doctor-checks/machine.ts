import { faultLine } from "../../workspace/config-fault.ts";
import { loadConfig } from "../../workspace/load-config.ts";
import { runProcess } from "../../workspace/run-process.ts";
import { findBubblewrap } from "../../workspace/sandbox/find-bubblewrap.ts";
import { broken, type Finding, off, ok } from "./finding.ts";

/** The first with `merge-tree --write-tree`. */
const gitMin = [2, 38];
const msMax = 10_000;

/** Git, Node, the sandbox and the configuration. */
export async function examineMachine(root: string): Promise<readonly Finding[]> {
  const loaded = await loadConfig(root);
  const mode = "config" in loaded ? loaded.config.sandbox : "auto";
  const configuration =
    "config" in loaded
      ? ok("configuration", "valid")
      : broken("configuration", loaded.faults.map(faultLine)[0] ?? "", "mend that line");
  return [await examineGit(), ok("node", process.version), await examineSandbox(mode), configuration];
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

async function examineSandbox(mode: "auto" | "required" | "strict" | "off"): Promise<Finding> {
  if (mode === "off") return off("sandbox", "`sandbox: off` in the configuration", null);
  const found = await findBubblewrap({ platform: process.platform, path: process.env.PATH ?? "" });
  if ("sandbox" in found) return ok("sandbox", "bubblewrap, and its walls hold");
  const fix = "do what it says; until then only the guard and the diff hold agents";
  return mode === "required" ? broken("sandbox", found.missing, fix) : off("sandbox", found.missing, fix);
}
