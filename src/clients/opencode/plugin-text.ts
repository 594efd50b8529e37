/** The first line, which identifies the file as ours. */
export const pluginTitle = "// Written by `lockstep init`; `lockstep init --remove` deletes it.";

/** The plugin's source. It passes OpenCode's events to the hook command; every failure of that command is a refusal. */
export function pluginText(command: string): string {
  return `${pluginTitle}
import { spawn } from "node:child_process";

const command = ${JSON.stringify(command)};
const waitMs = 2000;
const textLengthMax = 20_000;
${asking}
${plugin}`;
}

const asking = `
function ask(payload) {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", command], { cwd: payload.directory, detached: true });
    const said = { stdout: "", stderr: "" };
    const late = setTimeout(() => {
      reject(new Error("Lockstep did not answer within " + waitMs + " ms: see \`lockstep doctor\`"));
      endGroup(child);
    }, waitMs);
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8");
      child[name].on("data", (text) => {
        said[name] += text;
      });
    }
    child.on("error", (error) => {
      clearTimeout(late);
      reject(error);
    });
    child.on("close", (code) => {
      clearTimeout(late);
      try {
        resolve(answerIn(code, said));
      } catch (error) {
        reject(error);
      }
    });
    // A command that needs no payload may end before it has read it.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(payload));
  });
}

function endGroup(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

// Exit 0 without a word: Lockstep is not installed.
function answerIn(code, { stdout, stderr }) {
  if (code === 0 && stdout.trim() === "") return { allow: true, reason: "" };
  let answer;
  try {
    answer = JSON.parse(stdout);
  } catch {
    throw new Error("Lockstep gave no answer (exit " + code + "): " + (stderr.trim() || "see \`lockstep doctor\`"));
  }
  if (answer === null || typeof answer.allow !== "boolean" || (answer.allow && code !== 0))
    throw new Error("Lockstep gave a broken answer (exit " + code + "): see \`lockstep doctor\`");
  return answer;
}`;

const plugin = `
export const Lockstep = async ({ client, directory }) => {
  const sessions = new Map();
  const contexts = new Map();

  // Only a session itself knows whether it is a subagent's.
  async function about(sessionID) {
    if (!sessions.has(sessionID)) {
      const { data, error } = await client.session.get({ path: { id: sessionID } });
      if (data === undefined) throw new Error("Lockstep cannot read the session that this call belongs to: " + JSON.stringify(error));
      sessions.set(sessionID, { parentID: data.parentID, agent: data.agent });
    }
    return sessions.get(sessionID);
  }

  async function askAbout(event, input, output) {
    return ask({ event, directory, ...(await about(input.sessionID)), input, output });
  }

  return {
    "tool.execute.before": async (input, output) => {
      const answer = await askAbout("tool.execute.before", input, { args: output.args });
      if (!answer.allow) throw new Error(answer.reason || "Lockstep refuses this call");
      if (typeof answer.command === "string") output.args.command = answer.command;
    },
    "tool.execute.after": async (input, output) => {
      const text = String(output.output ?? "");
      const half = textLengthMax / 2;
      const shown = text.length > textLengthMax ? text.slice(0, half) + "…" + text.slice(-half) : text;
      const result = { output: shown, metadata: { exit: output.metadata?.exit } };
      const answer = await askAbout("tool.execute.after", input, result).catch(failed);
      const note = [answer.allow ? "" : answer.reason, answer.context].filter(Boolean).join("\\n\\n");
      if (note === "") return;
      if (Array.isArray(output.content)) output.content.push({ type: "text", text: note });
      else output.output = output.output + "\\n\\n" + note;
    },
    event: async ({ event }) => {
      if (event.type !== "session.created") return;
      const { sessionID, info } = event.properties;
      sessions.set(info.id, { parentID: info.parentID, agent: info.agent });
      contexts.set(info.id, ask({ event: event.type, directory, properties: { sessionID, info } }).catch(failed));
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      const answer = await contexts.get(sessionID);
      const note = answer?.allow === false ? answer.reason : answer?.context;
      if (note) output.system.push(note);
    },
    "experimental.session.compacting": async (input, output) => {
      const answer = await askAbout("experimental.session.compacting", input, {}).catch(failed);
      const note = answer.allow ? answer.context : answer.reason;
      if (note) output.context.push(note);
    },
  };
};

function failed(error) {
  return { allow: false, reason: error.message };
}
`;
