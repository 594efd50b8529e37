/** Any of the clients by its name: it says what that one would say, and does what `script.mjs` beside it says. */

import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";

const name = basename(process.argv[1]);
const words = process.argv.slice(2);
const {
  HOME,
  CLAUDE_CONFIG_DIR,
  CODEX_HOME,
  GEMINI_CLI_HOME = HOME,
  COPILOT_HOME,
  XDG_DATA_HOME,
} = process.env;
const folder = {
  claude: CLAUDE_CONFIG_DIR ?? join(HOME, ".claude"),
  codex: CODEX_HOME ?? join(HOME, ".codex"),
  gemini: join(GEMINI_CLI_HOME, ".gemini"),
  opencode: join(XDG_DATA_HOME ?? join(HOME, ".local/share"), "opencode"),
  copilot: COPILOT_HOME ?? join(HOME, ".copilot"),
}[name];
const [, session] = /--session-id=(\S+)/.exec(words.join(" ")) ?? [];
const id = session ?? (name === "opencode" ? "ses_1" : "11111111-2222-4333-8444-555555555555");
const cwd = process.cwd();
const slug = cwd.replace(/[^A-Za-z0-9]/g, "-");
const record = {
  claude: `projects/${slug}/${id}.jsonl`,
  codex: `sessions/2026/11/16/rollout-2026-11-16T08-00-00-${id}.jsonl`,
  gemini: "tmp/tree/chats/session-2026-11-16T08-00-11111111.jsonl",
  opencode: "opencode.db",
  copilot: `session-state/${id}/events.jsonl`,
}[name];
const first = {
  claude: { cwd, sessionId: id },
  codex: { type: "session_meta", payload: { id, cwd } },
  gemini: { sessionId: id },
  opencode: { info: { id, directory: cwd, permission: [{ action: "allow" }] }, messages: [] },
  copilot: { type: "session.start", data: { sessionId: id, context: { cwd } } },
}[name];
const put = (path, text) => {
  fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
  fs.appendFileSync(join(folder, path), text);
};
const says = (text) => {
  const lines = {
    claude: [
      { type: "system", subtype: "init", session_id: id },
      { type: "result", subtype: "success", is_error: false, session_id: id, result: text },
    ],
    codex: [
      { type: "thread.started", thread_id: id },
      { type: "item.completed", item: { id: "i", type: "agent_message", status: "completed", text } },
      { type: "turn.completed", usage: {} },
    ],
    gemini: [
      { type: "init", session_id: id },
      { type: "message", role: "assistant", content: text },
      { type: "result", status: "success", stats: {} },
    ],
    opencode: [{ type: "text", sessionID: id, part: { type: "text", text } }],
    copilot: [
      { type: "assistant.message", data: { content: text } },
      { type: "result", sessionId: id, exitCode: 0 },
    ],
  }[name];
  for (const line of lines) console.log(JSON.stringify(line));
};
if (words.includes("--version"))
  console.log(
    { claude: "2.1.325", codex: "0.166.0", gemini: "0.61.0", opencode: "1.18.33", copilot: "1.0.102" }[name],
  );
else if (words[0] === "auth") console.log('{"loggedIn":true}');
else if (words[0] === "login" || words[0] === "models") console.log("it is");
else if (words[0] === "export") console.log(fs.readFileSync(join(folder, record), "utf8").split("\n")[0]);
else if (words[0] === "import") put("imported.json", fs.readFileSync(words.at(-1), "utf8"));
else {
  const resumed = words.some((word) => word.includes(id)) && fs.existsSync(join(folder, record));
  const before = resumed ? fs.readFileSync(join(folder, record), "utf8") : "";
  put(record, before === "" ? `${JSON.stringify(first)}\n` : '{"again":true}\n');
  if (name === "gemini" && before === "") put("tmp/tree/.project_root", cwd);
  const script = (await import(join(dirname(process.argv[1]), "script.mjs"))).default;
  await script({ fs, join, dirname, name, folder, id, before, put, home: HOME, cwd, record });
  says(
    JSON.stringify({
      status: "OK",
      summary: "made it",
      artifacts: { files_changed: [], commands_to_run: [], notes: [] },
      gates: {
        meets_definition_of_done: true,
        needs_review: false,
        needs_tests: false,
        security_concerns: [],
      },
      next: { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: "done" },
    }),
  );
}
