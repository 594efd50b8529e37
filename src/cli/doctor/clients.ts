import { askProgram, readVersion } from "../../clients/process/ask-program.ts";
import { type ClientName, clientNames } from "../../contract/client-names.ts";
import { clientSetups } from "../../guard/setup/client-setups.ts";
import { isInstalled, type Machine } from "../../guard/setup/find-clients.ts";
import { realClient } from "../../run/attempt/real-client.ts";
import { broken, causeOf, type Finding, off, ok } from "./finding.ts";

/** The installed clients, and whether each one can be used. */
export async function examineClients(machine: Machine): Promise<readonly Finding[]> {
  const found = clientNames.filter((name) => isInstalled(name, machine));
  const missing = clientNames.filter((name) => !found.includes(name));
  const findings = await Promise.all(found.map(examineClient));
  if (missing.length === 0) return findings;
  return [...findings, off("other clients", `not installed: ${missing.join(", ")}`, null)];
}

async function examineClient(name: ClientName): Promise<Finding> {
  try {
    if (name === "cursor") {
      const { program } = clientSetups[name];
      const asked = readVersion(program, await askProgram([program, "--version"], { passes: [] }));
      return "version" in asked ? ok(name, asked.version) : broken(name, asked.reason, "install it again");
    }
    const probe = await realClient(name, { model: null, args: [], env: {} }).probe();
    if (probe.usable) return ok(name, `${probe.version ?? "its version is unknown"}, logged in`);
    if (probe.why === "unauthenticated") return off(name, probe.reason, `start \`${name}\` once and log in`);
    return broken(name, probe.reason, "install it again");
  } catch (error) {
    return broken(name, causeOf(error), "install it again");
  }
}
