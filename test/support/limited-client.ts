import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

/** Its output at a start: an error of its server, or an answer with this status. */
export type Start =
  | { readonly error: "rate_limit" | "authentication_failed"; readonly resetsInMs?: number }
  | { readonly status: string };

const program = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const words = process.argv.slice(2);
const say = (line) => console.log(JSON.stringify(line));
const file = (name) => require("node:path").join(__dirname, name);
if (words.includes("--version")) console.log("2.1.325");
else if (words[0] === "auth") say({ loggedIn: true });
else {
  const starts = existsSync(file("starts")) ? Number(readFileSync(file("starts"), "utf8")) : 0;
  writeFileSync(file("starts"), String(starts + 1));
  const all = JSON.parse(readFileSync(file("requests.json"), "utf8"));
  const { error, resetsInMs, status } = all[Math.min(starts, all.length - 1)];
  say({ type: "system", subtype: "init", session_id: "11111111-2222-4333-8444-555555555555" });
  if (error !== undefined) {
    const resetsAt = (Date.now() + resetsInMs) / 1000;
    if (resetsInMs !== undefined)
      say({ type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt } });
    const content = [{ type: "text", text: "no more today" }];
    say({ type: "assistant", error, message: { id: "m", role: "assistant", content } });
    say({ type: "result", subtype: "success", is_error: true, result: "no more today" });
  } else {
    const result = JSON.stringify({
      status,
      summary: "said by claude",
      artifacts: { findings: [], notes: [] },
      gates: { meets_definition_of_done: status === "OK", security_concerns: [] },
      next: { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: "x" },
    });
    say({ type: "result", subtype: "success", is_error: false, result });
  }
}
`;

export interface LimitedClient extends Pick<TemporaryFolder, typeof Symbol.dispose> {
  readonly env: Readonly<Record<string, string>>;
}

/** A `claude` on PATH with one prepared output for each start; needs `sandbox: off`. */
export function limitedClient(...starts: readonly Start[]): LimitedClient {
  const bin = temporaryFolder({ "requests.json": JSON.stringify(starts) });
  chmodSync(bin.write("claude", program), 0o755);
  return {
    env: { PATH: [bin.path, process.env.PATH].join(delimiter), HOME: join(bin.path, "home") },
    [Symbol.dispose]: () => bin[Symbol.dispose](),
  };
}
