import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hookMark } from "../../clients/settings/hook-entries.ts";
import { type ClientName, clientNames } from "../../contract/client-names.ts";
import { CanaryPlace } from "../../guard/setup/canary.ts";
import { clientSetups } from "../../guard/setup/client-setups.ts";
import {
  type ConfiguredHooks,
  configuredHooks,
  type HttpHandler,
  hooksAreOff,
} from "../../guard/setup/configured-hooks.ts";
import { SetupFault } from "../../guard/setup/edits.ts";
import { isInstalled, type Machine } from "../../guard/setup/find-clients.ts";
import { findDistrust } from "../../guard/setup/folder-trust.ts";
import { sandboxGaps } from "../../guard/setup/sandbox-gaps.ts";
import { ourCodexHooks } from "../../guard/setup/trust-codex.ts";
import { readSettings } from "../../guard/setup/write-edits.ts";
import { whyUnproven } from "../../guard/transport/check-proof.ts";
import { hookFile, isHookCurrent, launchedPrograms, launchFile } from "../../guard/transport/launch-file.ts";
import { uncomparedCalls, uncomparedText, wayToCompare } from "../../guard/world/pending-calls.ts";
import { faultLine } from "../../workspace/config/config-fault.ts";
import { readHttpAccess } from "../../workspace/state/http-access.ts";
import { serverStatus } from "../open/server-status.ts";
import { broken, brokenBy, causeOf, type Finding, off, ok } from "./finding.ts";

interface Hooked extends ConfiguredHooks {
  readonly name: ClientName;
  readonly file: string;
}

export interface HookGround {
  readonly machine: Machine;
  /** `guard.opaque`. */
  readonly opaque: string;
  /** The repository's own. */
  readonly stateFolder: string;
}

/** Tests whether the hooks in clients' settings really refuse: each is called in a separate repository. */
export async function examineHooks(ground: HookGround): Promise<readonly Finding[]> {
  const { machine } = ground;
  const findings: Finding[] = [];
  const hooked: Hooked[] = [];
  for (const name of clientNames) {
    const found = readHooks(name, machine);
    if ("broken" in found) findings.push(found.broken);
    else if (found.hooks.length > 0) hooked.push(...found.hooks);
    else if (isInstalled(name, machine))
      findings.push(
        off(`${name} hooks`, "no hooks are installed for this client", `\`lockstep init --client ${name}\``),
      );
  }
  findings.push(...examineUncompared(ground));
  if (hooked.length === 0) return findings;
  const files = [examineHookFile(ground), examineLaunch(ground)].filter((finding) => finding !== undefined);
  return [...findings, ...(await callAll(hooked, ground)), ...files, ...(await examineOpaque(ground))];
}

/** Calls whose writes were never compared with their lock. */
function examineUncompared({ stateFolder }: HookGround): readonly Finding[] {
  const text = uncomparedText(uncomparedCalls(join(stateFolder, "trees"), Date.now()));
  return text === undefined ? [] : [broken("compared calls", text, wayToCompare)];
}

/** Cases in which commands with unknown writes do not run in the sandbox. */
async function examineOpaque({ machine, opaque }: HookGround): Promise<readonly Finding[]> {
  const gaps = await sandboxGaps(machine, opaque);
  return gaps.map(({ client, why, next }) =>
    off(
      client === null ? "unknown programs" : `${client} programs`,
      `\`guard.opaque: sandbox\` has no effect: ${why}; their writes are compared afterwards`,
      next,
    ),
  );
}

function readHooks(
  name: ClientName,
  { root, home }: Machine,
): { readonly hooks: readonly Hooked[] } | { readonly broken: Finding } {
  const { files, uninstall } = clientSetups[name];
  const hooks: Hooked[] = [];
  try {
    for (const file of [files.personal, files.shared]) {
      const text = file === null ? null : readSettings(file, { root, home, further: [] });
      if (file === null || text === null) continue;
      const read = uninstall(text, file);
      if (!read.ok) return { broken: broken(`${name} hooks`, faultLine(read.fault), "fix that line") };
      const found = configuredHooks(name, text);
      if (found !== undefined) hooks.push({ ...found, name, file });
      if (name === "claude" && hooksAreOff(text))
        return { broken: broken(`${name} hooks`, `${file} turns all hooks off`, "remove `disableAllHooks`") };
    }
  } catch (error) {
    if (!(error instanceof SetupFault)) throw error;
    return { broken: brokenBy(`${name} hooks`, error.message) };
  }
  return { hooks };
}

async function callAll(hooked: readonly Hooked[], ground: HookGround): Promise<readonly Finding[]> {
  try {
    await using place = await CanaryPlace.open();
    const findings: Finding[] = [];
    for (const hooks of hooked) findings.push(await callOne(hooks, place, ground));
    return findings;
  } catch (error) {
    return [broken("hooks", `the hooks could not be tested: ${causeOf(error)}`, "install Lockstep again")];
  }
}

async function callOne(hooks: Hooked, place: CanaryPlace, ground: HookGround): Promise<Finding> {
  const { name, file, command, http } = hooks;
  const fix = `\`lockstep init --client ${name}\``;
  const why =
    (command === undefined
      ? "the command of its hooks is missing"
      : await place.whyNotRefused(name, command)) ??
    (http === undefined ? undefined : await whyHttpFails(name, http, place, ground));
  if (why !== undefined) return broken(`${name} hooks`, `NOT ENFORCED (${file}): ${why}`, fix);
  const untrusted =
    name === "codex" ? await whyCodexSkips(command ?? "", ground.machine) : whySkipped(name, ground.machine);
  if (untrusted !== undefined) return untrusted;
  const how = http === undefined ? "" : ", over HTTP too";
  const told = `a forbidden write was refused${how} (${file})`;
  if (isInstalled(name, ground.machine)) return ok(`${name} hooks`, told);
  return off(
    `${name} hooks`,
    `${name} is not installed here; tested without it, ${told}`,
    `install ${name}, or \`lockstep init --remove\``,
  );
}

async function whyHttpFails(
  name: ClientName,
  http: HttpHandler,
  place: CanaryPlace,
  { stateFolder }: HookGround,
): Promise<string | undefined> {
  const access = existsSync(stateFolder) ? readHttpAccess(stateFolder) : undefined;
  if (!http.blocks) return "a failing call over HTTP would pass: `onFailure` is not `block`";
  const url = `http://127.0.0.1:${access?.port}/guard/${name}`;
  if (http.url !== url || http.headers.Authorization !== `Bearer ${access?.token}`)
    return "its port or token does not belong to this repository";
  const unproven = serverStatus() === null ? undefined : await whyUnproven(stateFolder);
  return unproven ?? (await place.whyNotRefusedOverHttp(name, http));
}

function whySkipped(name: ClientName, machine: Machine): Finding | undefined {
  const found = isInstalled(name, machine) ? findDistrust(name, machine) : undefined;
  return found && broken(`${name} hooks`, `NOT ENFORCED: ${found.why}`, found.fix);
}

async function whyCodexSkips(command: string, machine: Machine): Promise<Finding | undefined> {
  if (!isInstalled("codex", machine)) return undefined;
  const what = "codex hooks";
  const bare = command.slice(0, -hookMark.length).trimEnd();
  try {
    const hooks = await ourCodexHooks(machine.root, bare);
    if (hooks.length > 0 && hooks.every(({ trusted }) => trusted)) return undefined;
    if (hooks.length > 0)
      return broken(
        what,
        "NOT ENFORCED: codex skips hooks that are not trusted",
        "`lockstep init --client codex`",
      );
    const fix = "start `codex` here once and trust the folder, then `lockstep init --client codex`";
    return broken(what, "NOT ENFORCED: codex sees no hooks, because it does not trust this folder", fix);
  } catch (error) {
    return broken(
      what,
      `codex could not report which hooks it trusts: ${causeOf(error)}`,
      "install codex again",
    );
  }
}

/** The hook commands read this file; its content decides whether they refuse. */
function examineHookFile({ stateFolder }: HookGround): Finding | undefined {
  if (isHookCurrent(stateFolder)) return undefined;
  const file = hookFile(stateFolder);
  const why = existsSync(file) ? "differs from what this version of Lockstep writes" : "is missing";
  return broken("hook file", `NOT ENFORCED: ${file} ${why}`, "`lockstep init`");
}

/** Hooks find Lockstep by this file; without it, Lockstep counts as not installed. */
function examineLaunch({ stateFolder }: HookGround): Finding | undefined {
  const file = launchFile(stateFolder);
  const fix = "`lockstep init`";
  if (!existsSync(file))
    return broken("launch file", "NOT ENFORCED: hooks cannot find Lockstep in this repository", fix);
  const programs = launchedPrograms(readFileSync(file, "utf8"));
  const missing = programs.find((program) => !existsSync(program));
  if (programs.length > 0 && missing === undefined) return undefined;
  const why = missing === undefined ? "it names no program" : `${missing} is gone`;
  return broken("launch file", `hooks cannot start Lockstep in this repository: ${why}`, fix);
}
