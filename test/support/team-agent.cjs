// Plays every role of a session. Its argument is a file with the differences from a good agent.
const { execSync } = require("node:child_process");
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { dirname } = require("node:path");

const input = JSON.parse(readFileSync(0, "utf8"));
const { role, task, worklog_path: worklog } = input;
const session = worklog.split("/").slice(0, 2).join("/");
const overrides = existsSync(process.argv[2]) ? JSON.parse(readFileSync(process.argv[2], "utf8")) : {};
const override = overrides[`${role} ${task.id}`] ?? overrides[role] ?? {};

/** What the role has to be given first, and find in its tree. */
const needed = {
  Architect: ["spec.md", "acceptance.json"],
  Planner: ["spec.md", "acceptance.json", "architecture.md"],
  Coder: ["spec.md", "tasks.yaml"],
  Reviewer: ["spec.md", "tasks.yaml"],
  QA: ["spec.md", "acceptance.json", "tasks.yaml"],
  Security: ["tasks.yaml"],
  Integrator: ["tasks.yaml", "acceptance.json"],
  Docs: ["spec.md", "tasks.yaml", "acceptance.json"],
};
for (const file of (needed[role] ?? []).map((name) => `${session}/${name}`))
  if (!task.context_files.includes(file) || !existsSync(file))
    throw new Error(`${role} was not given ${file}`);

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const tasks = overrides.tasks ?? [
  { id: "T-001", goal: "write a.txt", lock_scope: ["a.txt"], acceptance_checks: ["cmd: test -e a.txt"] },
  {
    id: "T-002",
    goal: "write b.txt",
    depends_on: ["T-001"],
    lock_scope: ["b.txt"],
    acceptance_checks: ["cmd: test -e b.txt"],
  },
];

const spec =
  "# Spec\n\n## Goals\n\nTwo files.\n\n## Acceptance Criteria\n\nThey are there.\n\n## Definition of Done\n\nTested.\n";
const acceptance = {
  acceptance_criteria: [
    { id: "AC-1", description: "there", verify: overrides.verify ?? ["cmd: test -e f.js"] },
  ],
};
const plan = (listed) =>
  JSON.stringify(
    { project: { name: "two files" }, tasks: listed.map((one) => ({ status: "not-started", ...one })) },
    null,
    2,
  );

const work = {
  SpecAgent: () => {
    write(`${session}/spec.md`, spec);
    write(`${session}/acceptance.json`, JSON.stringify(acceptance));
    if (input.assignment.lock_scope.some((one) => one.endsWith("tasks.yaml")))
      write(`${session}/tasks.yaml`, plan(overrides.tasks ?? tasks.slice(0, 1)));
  },
  Architect: () =>
    write(
      `${session}/architecture.md`,
      `# Architecture\n\n## Overview\n\nSmall. ${task.goal}\n\n## Modules\n\nTwo.\n`,
    ),
  Designer: () => write(`${session}/design-specs/files.md`, "# Files\n"),
  Researcher: () => write(`${session}/research/files.md`, "# Files\n"),
  Planner: () => write(`${session}/tasks.yaml`, plan(overrides.plan ?? tasks)),
  Coder: () => {
    const fixed = input.fix_delta === null ? "" : "repaired\n";
    for (const path of input.assignment.lock_scope)
      write(path === "." ? `fixes/${task.id}.txt` : path, `by ${task.id}\n${fixed}`);
  },
  Integrator: () => {
    const fixed = input.fix_delta === null ? "fixed\n" : "fixed and repaired\n";
    if (input.assignment.lock_scope.includes(".")) write(`fixes/${task.id}.txt`, fixed);
  },
  Docs: () => write(`${session}/report.md`, "# Report\n\nDone.\n"),
};

/** Written beyond that: paths with `SESSION` for the session's folder. */
for (const [path, text] of Object.entries(override.files ?? {}))
  write(path.replace("SESSION", session), text);
/** A command of the shell, whatever it ends with. */
if (override.runs !== undefined) execSync(`${override.runs}; true`, { stdio: "ignore" });
/** `until`: good once this file of the tree has the text in it. */
const { until } = override;
const isGood =
  until !== undefined && existsSync(until.file) && readFileSync(until.file, "utf8").includes(until.has);
if (override.works !== false) work[role]?.();
const pause = override.sleep ?? overrides.sleep;
if (pause !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
if (override.says !== undefined && !isGood) process.stdout.write(override.says);
else
  process.stdout.write(
    `${JSON.stringify({
      status: isGood ? "OK" : (override.status ?? "OK"),
      summary: override.summary ?? `${role} is done`,
      artifacts: { files_changed: [], commands_to_run: [], notes: [], ...(isGood ? {} : override.artifacts) },
      gates: {
        meets_definition_of_done: isGood || override.status !== "BLOCKED",
        needs_review: false,
        needs_tests: false,
        security_concerns: [],
      },
      next: {
        recommended_agent: override.next ?? "Orchestrator",
        recommended_task_id: "same",
        reason: "next",
      },
    })}\n`,
  );
