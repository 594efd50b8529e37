import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClientName } from "../../contract/client-names.ts";
import { git } from "../../workspace/git/run-git.ts";
import { installFolder } from "../../workspace/process/install-folder.ts";
import { runProcess } from "../../workspace/process/run-process.ts";
import { readHttpAccess } from "../../workspace/state/http-access.ts";
import { projectVariables } from "../transport/project-variables.ts";
import { canaryPayload } from "./canary-payloads.ts";
import type { HttpHandler } from "./configured-hooks.ts";

const msMax = 10_000;
/** On a busy machine the server may take longer to start than one hook waits for it. */
const triesMax = 5;
const task = "T-CANARY";

/**
 * A temporary repository with this installation of Lockstep and a task that holds a lock. The hook commands find it by
 * their working directory, so the user's own ledgers are not touched.
 */
export class CanaryPlace implements AsyncDisposable {
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
  }

  static async open(): Promise<CanaryPlace> {
    const place = new CanaryPlace(realpathSync(mkdtempSync(join(tmpdir(), "lockstep-canary-"))));
    try {
      await git(place.#root, ["init", "-q"]);
      await place.#lockstep(["dispatch"], JSON.stringify(packet));
      return place;
    } catch (error) {
      await place[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Runs the hook like the client would. Undefined if it refuses the write as it should, else what it did instead. */
  async whyNotRefused(name: ClientName, command: string): Promise<string | undefined> {
    for (let tries = 1; ; tries += 1) {
      const { exit, stdout, stderr } = await this.#call(name, command);
      if (exit !== 2)
        return `the hook allows a write that it must refuse: ${exit === null ? "it timed out" : `it exits ${exit}`}`;
      const isUnasked = /guard (?:cannot be run|could not be asked)/.test(stderr);
      if (isUnasked && tries < triesMax) continue;
      if (isUnasked) return `the hook refuses every call: ${stderr.trim().split("\n")[0]}`;
      return isDenial(stdout) && stderr.trim() !== ""
        ? undefined
        : "the hook's refusal is not in the format that the client expects";
    }
  }

  async #call(name: ClientName, command: string) {
    const output = { stdout: "", stderr: "" };
    const variable = projectVariables[name];
    const { exit } = await runProcess({
      command: ["/bin/sh", "-c", command],
      cwd: this.#root,
      env: { ...this.#environment(), ...(variable === null ? {} : { [variable]: this.#root }) },
      input: JSON.stringify(canaryPayload(name, this.#root)),
      ...{ msMax, streams: "apart" },
      onOutput: (chunk, from) => {
        output[from] += chunk.toString();
      },
    });
    return { exit, ...output };
  }

  /** The same over HTTP, with this repository's own server and the headers from the settings. */
  async whyNotRefusedOverHttp(name: ClientName, { headers }: HttpHandler): Promise<string | undefined> {
    const access = readHttpAccess(join(this.#root, ".git", "lockstep"));
    if (access === undefined) return "the server did not start";
    const empty = Object.keys(headers).map((header) => [header, ""]);
    const sent = { ...Object.fromEntries(empty), Authorization: `Bearer ${access.token}` };
    const text = await post(access.port, `/guard/${name}`, {
      headers: sent,
      body: JSON.stringify(canaryPayload(name, this.#root)),
    });
    return isDenial(text)
      ? undefined
      : `the server allows a write that it must refuse: it answers \`${text}\``;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The server exits by itself when its folder is gone.
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 3 });
  }

  async #lockstep(words: readonly string[], input: string): Promise<void> {
    const { exit, tail } = await runProcess({
      command: [process.execPath, join(installFolder(), "bin", "lockstep.cjs"), ...words],
      ...{ cwd: this.#root, env: this.#environment(), input, msMax },
    });
    if (exit !== 0) throw new Error(`\`lockstep ${words[0]}\` failed in a new repository: ${tail.trim()}`);
  }

  /** Without variables that identify the caller, and without the user's own state. */
  #environment(): Record<string, string> {
    const kept = ["PATH", "HOME", "LANG", "TMPDIR", "XDG_RUNTIME_DIR"].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    });
    return { ...Object.fromEntries(kept), XDG_STATE_HOME: join(this.#root, ".git", "state") };
  }
}

const packet = {
  task_id: task,
  assignment: {
    ...{ lock_scope: ["canary.txt"], forbidden_scope: [] },
    ...{ acceptance_criteria: ["the hook refuses"], worklog_path: "canary.md" },
    ...{ timeout_seconds: 600, heartbeat_interval_seconds: 60 },
  },
};

/** In any client's format. */
function isDenial(stdout: string): boolean {
  try {
    return /"deny"|"allow":false/.test(JSON.stringify(JSON.parse(stdout)));
  } catch {
    return false;
  }
}

function post(
  port: number,
  path: string,
  { headers, body }: { readonly headers: Record<string, string>; readonly body: string },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, method: "POST", headers, timeout: msMax };
    const sent = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => resolve(text)).on("error", reject);
    });
    sent.on("timeout", () => sent.destroy(new Error("the server did not answer in time")));
    sent.on("error", reject).end(body);
  });
}
