// The hook that a user would write without Lockstep, as the baseline for the cost: reads the state, decides by prefix,
// writes the state back, appends an audit line, answers.
//   node baseline-hook.mjs STATE_FILE AUDIT_FILE < payload.json
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { posix } from "node:path";

const [stateFile, auditFile] = process.argv.slice(2);

function readState() {
  try {
    return JSON.parse(readFileSync(stateFile, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return { tasks: {}, writes: 0, denied: 0 };
    throw error;
  }
}

function writeState(state) {
  writeFileSync(`${stateFile}.tmp`, JSON.stringify(state));
  renameSync(`${stateFile}.tmp`, stateFile);
}

function isIn(path, scope) {
  return scope.some((entry) => path === entry || path.startsWith(`${entry}/`));
}

function decide({ task_id, assignment, write }) {
  if (typeof task_id !== "string" || typeof write?.resource !== "string")
    return { allow: false, code: "BAD_INPUT", reason: "task_id and write.resource are required" };
  const path = posix.normalize(write.resource);
  if (path.startsWith("../") || path.startsWith("/"))
    return { allow: false, code: "OUTSIDE", reason: `${path} is outside the project` };
  if (isIn(path, assignment.forbidden_scope ?? []))
    return { allow: false, code: "FORBIDDEN", reason: `${path} is forbidden to ${task_id}` };
  if (!isIn(path, assignment.lock_scope))
    return { allow: false, code: "NO_LOCK", reason: `${path} is not in the scope of ${task_id}` };
  return { allow: true, code: "OK", reason: "Validation passed" };
}

let verdict;
try {
  const payload = JSON.parse(readFileSync(0, "utf8"));
  const state = readState();
  verdict = decide(payload);
  const at = new Date().toISOString();
  state.writes += 1;
  state.denied += verdict.allow ? 0 : 1;
  state.tasks[payload.task_id] = { last: payload.write?.resource, at };
  writeState(state);
  const line = { at, task: payload.task_id, resource: payload.write?.resource, code: verdict.code };
  appendFileSync(auditFile, `${JSON.stringify(line)}\n`);
} catch (error) {
  verdict = { allow: false, code: "ERROR", reason: error.message };
}

process.stdout.write(`${JSON.stringify(verdict)}\n`);
if (!verdict.allow) process.stderr.write(`${verdict.reason}\n`);
process.exitCode = verdict.allow ? 0 : 2;
