// Plays every agent of the guide, so that it needs no account: it reads its task from stdin, writes files that are
// ready below, and answers with one JSON object, as any program does that wants to be an agent.
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { dirname } = require("node:path");

const { role, task, assignment, worklog_path: worklog, fix_delta: refused } = JSON.parse(readFileSync(0));
const session = worklog.split("/").slice(0, 2).join("/");

const test = (name, line) =>
  `const { test } = require("node:test");\nconst assert = require("node:assert");\n` +
  `const { ${name} } = require("../src/${name}.js");\ntest("${name}", () => ${line});\n`;

const code = {
  "src/cart.js": "exports.cart = (prices) => prices.reduce((sum, one) => sum + one, 0);\n",
  "test/cart.test.js": test("cart", "assert.equal(cart([1, 2]), 3)"),
  "src/tax.js": "exports.tax = (cents) => Math.round(cents * 0.19);\n",
  "test/tax.test.js": test("tax", "assert.equal(tax(100), 19)"),
  "src/invoice.js":
    'const { tax } = require("./tax.js");\nexports.invoice = (cents) => ({ cents, tax: tax(cents) });\n',
  "test/invoice.test.js": test("invoice", "assert.equal(invoice(100).tax, 19)"),
  "src/dollars.js": "exports.dollars = (cents, rate) => Math.round(cents * rate);\n",
  "test/dollars.test.js": test("dollars", "assert.equal(dollars(100, 1.1), 110)"),
  "src/euros.js": "exports.euros = (cents, rate) => Math.round(cents / rate);\n",
  "test/euros.test.js": test("euros", "assert.equal(euros(110, 1.1), 100)"),
};

const plan = (currency) => {
  const title = `Convert to ${currency}`;
  const scope = [`src/${currency}.js`, `test/${currency}.test.js`];
  const checks = [`cmd: node --test test/${currency}.test.js`];
  const one = { id: "T-001", status: "not-started", title, goal: title, lock_scope: scope };
  return JSON.stringify({ tasks: [{ ...one, acceptance_checks: checks }] }, null, 2);
};
const criteria = [{ id: "AC-1", description: "cents are converted at a rate", verify: ["cmd: npm test"] }];

/** The files that each role writes. */
const papers = {
  SpecAgent: {
    "spec.md":
      "# Prices\n\n## Goals\n\nPrices in another currency.\n\n## Acceptance Criteria\n\nAC-1: cents are converted at a rate.\n\n## Definition of Done\n\nTested.\n",
    "acceptance.json": JSON.stringify({ acceptance_criteria: criteria }, null, 2),
  },
  Architect: {
    "architecture.md":
      "# Dollars\n\n## Overview\n\nOne function.\n\n## Modules\n\n`src/dollars.js`, used by nobody yet.\n",
  },
  Planner: { "tasks.yaml": plan("dollars") },
  Docs: { "report.md": "# Dollars\n\n## What was done\n\n`src/dollars.js` converts.\n" },
};

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

for (const [name, text] of Object.entries(papers[role] ?? {})) write(`${session}/${name}`, text);
// In lean mode, SpecAgent also writes the plan.
if (role === "SpecAgent" && assignment.lock_scope.includes(`${session}/tasks.yaml`))
  write(`${session}/tasks.yaml`, plan("euros"));
if (role === "Coder") {
  for (const path of assignment.lock_scope) if (code[path] !== undefined) write(path, code[path]);
  // On the first attempt it writes outside its scope.
  if (task.goal.includes("invoice")) write("src/cart.js", refused === null ? "" : code["src/cart.js"]);
}

const summaries = {
  Coder: "Written, with a test",
  SpecAgent: "One criterion",
  Architect: "One small module",
  Planner: "One task",
  Docs: "The report is written",
};
process.stdout.write(
  `${JSON.stringify({
    status: "OK",
    summary: summaries[role] ?? "Nothing is wrong with it",
    artifacts: { files_changed: [], commands_to_run: [], notes: [] },
    gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] },
    next: { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: "done" },
  })}\n`,
);
