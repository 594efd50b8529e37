import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { branchOf } from "../../src/core/names/ref-names.ts";
import type { CheckRecord } from "../../src/core/proof/check-record.ts";
import type { Details, Verdict } from "../../src/core/rules/verdict.ts";
import { deny } from "../../src/core/rules/verdict.ts";
import { recordLimit } from "../../src/engine/attempts/limited-agents.ts";
import { recordReview } from "../../src/engine/attempts/record-review.ts";
import { recordViolation } from "../../src/engine/attempts/record-violation.ts";
import { refuseAttempt } from "../../src/engine/attempts/refuse-attempt.ts";
import { prepareMove } from "../../src/engine/change/base-moves.ts";
import { tokenOf } from "../../src/engine/change/fence.ts";
import { askGate } from "../../src/engine/decisions/ask-gate.ts";
import { askLogin } from "../../src/engine/decisions/ask-login.ts";
import { askManual } from "../../src/engine/decisions/ask-manual.ts";
import { askSecurity } from "../../src/engine/decisions/ask-security.ts";
import { askSession } from "../../src/engine/decisions/ask-session.ts";
import { askVacuous } from "../../src/engine/decisions/ask-vacuous.ts";
import { askWeakened } from "../../src/engine/decisions/ask-weakened.ts";
import { finishLanding, refuseLanding } from "../../src/engine/landing/finish-landing.ts";
import { operate } from "../../src/engine/operate.ts";
import { openSession } from "../../src/engine/sessions/open-session.ts";
import { orchestratorFolders } from "../../src/guard/orchestrator/folders.ts";
import { writeReport } from "../../src/guard/orchestrator/report.ts";
import { taskLogFile } from "../../src/run/landing/work/task-logs.ts";
import { keepVersion } from "../../src/session/files/design-versions.ts";
import { keepOutput } from "../../src/workspace/state/check-outputs.ts";
import type { BoardGround } from "./board-ground.ts";
import { packet, person, result, runner } from "./memory-engine.ts";

export const shop = "2026-02-14_shop";
const invoices = "2026-02-14_invoices";

export const keyOf = (id: string, session = shop) => `${session}/${id}`;

interface Wanted {
  readonly title: string;
  readonly scope: readonly string[];
  readonly agent?: string;
  readonly needs?: readonly string[];
  readonly more?: Details;
}

/** The result of a day of runs: a task in every state, every kind of question, merges, refusals and logs. */
export function shopLedger(ground: BoardGround) {
  const { engine, repository, place } = ground;
  const { git, write } = repository;
  const sleep = (minutes: number) => engine.sleep(minutes * 60);
  const agreed = async <Answer extends Verdict>(answer: Promise<Answer>) => {
    const verdict = await answer;
    if (!verdict.allow) throw new Error(`${verdict.code}: ${verdict.reason}`);
    return verdict;
  };

  const add = (id: string, { title, scope, agent = "coder", needs = [], more = {} }: Wanted) => {
    const key = keyOf(id);
    const assignment = {
      objective: `${title}.`,
      forbidden_actions: [],
      evidence: ["test output"],
      ...(more.assignment as object),
    };
    return agreed(
      operate(
        engine,
        "task-add",
        {
          packet: {
            ...packet(key, scope, { ...more, assignment }),
            title,
            agent,
            depends_on: needs.map((need) => keyOf(need)),
          },
        },
        runner,
      ),
    );
  };

  const start = async (id: string, tokens = 0, usd = 0) => {
    const task = keyOf(id);
    const { details } = await agreed(operate(engine, "dispatch", { packet: { task_id: task } }, runner));
    const call = { ...runner, epoch: Number(details?.epoch) };
    sleep(1);
    const usage = {
      input: tokens * 2,
      cached: tokens,
      output: Math.round(tokens / 3),
      ...(usd > 0 ? { cost_usd: usd } : {}),
    };
    // A heartbeat over the limit ends the attempt.
    if (tokens > 0) await operate(engine, "heartbeat", { task, tokens, usage } as never, call);
    return call;
  };

  const log = (id: string, lines: readonly string[]) => {
    mkdirSync(join(place.folder, "logs"), { recursive: true });
    const at = new Date(engine.clock.now().wallMs).toISOString();
    appendFileSync(taskLogFile(place.folder, keyOf(id)), lines.map((line) => `${at} ${line}\n`).join(""));
  };

  /** Commits the work of a task on its branch. */
  const work = (id: string, files: Readonly<Record<string, string>>) => {
    git("checkout", "-q", "-B", branchOf(id), "main");
    for (const [path, text] of Object.entries(files)) write(path, text);
    git("add", "-A");
    git("commit", "-qm", `${id}: work`);
    const commit = git("rev-parse", "HEAD");
    git("checkout", "-q", "main");
    return commit;
  };

  const submit = async (id: string) => {
    const worklog = `worklogs/${keyOf(id)}.md`;
    engine.disk[join(repository.path, worklog)] =
      `${engine.disk[join(repository.path, worklog)] ?? ""}worked\n`;
    return agreed(
      operate(
        engine,
        "submit",
        { task: keyOf(id), document: { ...result(keyOf(id)), worklog_path: worklog } },
        runner,
      ),
    );
  };

  const check = (command: string, more: Partial<CheckRecord> = {}): CheckRecord => ({
    ...{ command, kind: "project", outcome: "pass", tree: git("rev-parse", "main^{tree}") },
    before: { exit: 0, seconds: 2.1, digest: "3f".repeat(32), tail: "" },
    after: {
      exit: 0,
      seconds: 2.4,
      digest: "9c".repeat(32),
      tail: "✔ rounds half-even (1.2ms)\n✔ keeps cents (0.3ms)\nℹ tests 14\nℹ pass 14\nℹ fail 0\n",
    },
    again: null,
    ...more,
  });

  let batch = 0;
  /** Merges the work of tasks together, with real commits. */
  const land = async (
    tasks: readonly {
      readonly id: string;
      readonly weakened?: readonly { path: string; what: string }[];
      readonly evidence?: readonly CheckRecord[];
    }[],
  ) => {
    const from = git("rev-parse", "main");
    const members = [];
    for (const { id, weakened = [], evidence = [check("node --test")] } of tasks) {
      const task = await engine.ledger.task(keyOf(id));
      git("merge", "-q", "--no-ff", "-m", `${id}: ${task?.title}`, branchOf(id));
      members.push({
        task: keyOf(id),
        branch: branchOf(id),
        title: task?.title ?? id,
        commit: git("rev-parse", "HEAD"),
        scope: [],
        evidence,
        proof: { weakened } as never,
      });
    }
    batch += 1;
    const name = `BATCH-2026021420000${batch}`;
    const move = {
      kind: "land",
      base: "main",
      from,
      to: git("rev-parse", "main"),
      batch: name,
      members,
      runner: null,
    } as const;
    const intent = await prepareMove(engine, move, runner);
    if ("allow" in intent) throw new Error(intent.reason);
    await agreed(finishLanding(engine, intent, runner));
  };

  const review = (
    id: string,
    commit: string,
    verdict: "approved" | "refused",
    findings: readonly string[] = [],
  ) =>
    agreed(
      recordReview(
        engine,
        {
          task: keyOf(id),
          commit,
          review: {
            agent: "reviewer",
            focus: "qa",
            verdict,
            summary:
              verdict === "approved"
                ? "The change does what it says, and its tests would notice if it did not."
                : "A negative count turns the total negative.",
            findings,
          },
        },
        runner,
      ),
    );

  const refuse = (id: string, target: string, reason: string, more: Details = {}) =>
    recordViolation(
      engine,
      {
        kind: "refused",
        task: keyOf(id),
        epoch: 1,
        agent: null,
        tool: "Write",
        code: "R-PW-001",
        target,
        reason,
        bytes: 120,
        ...more,
      } as never,
      runner,
    );

  return { engine, ground, sleep, add, start, log, work, submit, check, land, review, refuse, agreed };
}

/** The ledger of the pictures and of most tests. */
export async function fillShop(ground: BoardGround): Promise<void> {
  const shopping = shopLedger(ground);
  const { engine, sleep, add, start, log, work, submit, check, land, review, refuse, agreed } = shopping;
  await add("T-1", {
    title: "Round prices half-even to two digits",
    scope: ["src/price.js", "test/price.test.js"],
  });
  await add("T-2", { title: "Cart totals in cents", scope: ["src/cart.js"], agent: "sonnet" });
  await add("T-3", { title: "Invoice numbers without gaps", scope: ["src/invoice.js"], needs: ["T-1"] });
  await add("T-4", { title: "Tax rates by country", scope: ["src/tax", "docs/tax.md"], agent: "sonnet" });
  await add("T-5", { title: "Discount codes", scope: ["src/discount.js"] });
  await add("T-6", { title: "Shipping costs", scope: ["src/shipping"], agent: "codex" });
  await add("T-7", { title: "Tax report for the year", scope: ["src/tax/report.js"] });
  await add("T-8", { title: "Export for the accountant", scope: ["src/export"], needs: ["T-7"] });
  await add("T-9", { title: "Gift cards", scope: ["src/gift.js"] });
  await add("T-10", { title: "Search in orders", scope: ["src/search"], agent: "codex" });
  await add("T-11", { title: "Old price API", scope: ["src/old"] });
  await add("T-12", { title: "Reminder mails", scope: ["src/mail"], agent: "gemini" });
  await add("T-13", { title: "Stock levels", scope: ["src/stock"], agent: "codex" });
  await add("T-14", { title: "Refunds", scope: ["src/refund.js"], needs: ["T-9", "T-5"] });
  await add("T-15", { title: "Receipts as PDF", scope: ["src/receipt"] });

  await start("T-1", 18_400, 0.42);
  log("T-1", ["coder: reads src/price.js", "coder: \u001b[32m✔\u001b[0m 14 tests pass"]);
  const first = work("T-1", { "src/price.js": roundedPrice, "test/price.test.js": priceTest });
  sleep(3);
  await submit("T-1");
  await review("T-1", first, "approved");
  await start("T-2", 31_200, 0.88);
  sleep(1);
  await land([
    {
      id: "T-1",
      evidence: [
        check("node --test"),
        check("node --test test/price.test.js", {
          kind: "proves",
          before: { exit: 1, seconds: 0.8, digest: "51".repeat(32), tail: "" },
        }),
      ],
    },
  ]);
  const failing = "\u001b[31mnot ok\u001b[0m 3 - total of an empty cart\n  expected: 0\n  actual: NaN\n";
  const kept = keepOutput(ground.place.folder, `${"ok 1 - total of one line\n".repeat(400)}${failing}`);
  const refusal = deny(
    "R-PC-002",
    "`node --test` fails on the merged tree: not ok 3 - total of an empty cart",
    {},
  );
  work("T-2", { "src/cart.js": centCart("0.5") });
  await submit("T-2");
  await refuseLanding(engine, { branch: "lockstep/T-2", task: keyOf("T-2"), refused: refusal }, runner);
  sleep(1);
  await start("T-2", 12_700, 0.31);
  const second = work("T-2", { "src/cart.js": centCart("0") });
  sleep(2);
  await submit("T-2");
  await review("T-2", second, "approved", ["The rounding of negative totals is now tested."]);
  const shownFailure = {
    exit: 1,
    seconds: 2.2,
    digest: "77".repeat(32),
    tail: failing,
    excerpt: failing,
    log: kept,
  };
  await land([
    {
      id: "T-2",
      weakened: [{ path: "test/cart.test.js", what: "1 test is skipped: total of an empty cart" }],
      evidence: [
        check("node --test"),
        check("npm run lint", { kind: "acceptance", outcome: "pass", before: shownFailure }),
      ],
    },
  ]);

  await start("T-3", 9_800, 0.2);
  work("T-3", { "src/invoice.js": "let last = 0;\nexports.next = () => ++last;\n" });
  await start("T-4", 44_100, 1.36);
  log("T-4", [
    "sonnet: reads src/price.js and docs/prices.md",
    "sonnet: writes src/tax/rates.js",
    "sonnet: \u001b[33mwarning\u001b[0m docs/prices.md is outside the lock",
    "sonnet: runs node --test",
  ]);
  work("T-4", {
    "src/tax/rates.js": taxRates,
    "docs/tax.md": "# Tax\n\nRates are those of the buyer's country.\n",
    "docs/prices.md": "# Prices\n\nPrices are in euros, with tax.\n",
  });
  for (const target of ["docs/prices.md", "docs/prices.md", "package.json"])
    await refuse(
      "T-4",
      target,
      `\`${target}\` is outside the lock of T-4 (src/tax, docs/tax.md): ask with \`lockstep widen T-4 ${target} --why "…"\``,
      { tool: target === "package.json" ? "Bash" : "Edit" },
    );
  const epoch = (await engine.ledger.attempt(keyOf("T-4")))?.epoch ?? 0;
  const credentials = { epoch, token: tokenOf(engine.ledger, keyOf("T-4"), epoch) };
  await agreed(
    operate(
      engine,
      "widen",
      { task: keyOf("T-4"), paths: ["docs/prices.md"], why: "the manual shows prices without tax" },
      { role: "attempt", task: keyOf("T-4"), ...credentials },
    ),
  );
  sleep(2);
  await submit("T-3");
  await start("T-5", 22_900, 0.6);
  const fifth = work("T-5", { "src/discount.js": "exports.half = (price) => price / 2;\n" });
  await submit("T-5");
  await review("T-5", fifth, "approved");
  await start("T-6", 15_000);
  const sixth = work("T-6", {
    "src/shipping/costs.js": "exports.cost = (weight) => (weight > 20 ? 19 : 5);\n",
  });
  await submit("T-6");
  await askWeakened(
    engine,
    {
      task: keyOf("T-6"),
      commit: sixth,
      reasons: [
        {
          kind: "test",
          command: "node --test",
          test: "shipping is free from 50 euros",
          now: "does not run any more",
        },
        { kind: "change", path: "test/shipping.test.js", what: "2 assertions removed" },
      ],
      changes: [],
    },
    runner,
  );
  sleep(1);
  await start("T-9", 50_600, 1.9);
  await start("T-10", 8_000);
  await operate(
    engine,
    "task-escalate",
    {
      task: keyOf("T-10"),
      reason: "Two indexes would do. Which one may be changed: src/search/words.js or the database?",
    },
    person,
  );
  await start("T-11", 3_000, 0.05);
  await agreed(
    operate(engine, "task-cancel", { task: keyOf("T-11"), reason: "the old API is removed instead" }, person),
  );
  await recordLimit(
    engine,
    {
      agents: ["gemini"],
      until: new Date(engine.clock.now().wallMs + 90 * 60_000).toISOString(),
      reason: "out of quota",
    },
    runner,
  );
  await start("T-13", 5_200);
  await agreed(operate(engine, "stop", { task: keyOf("T-13") }, person));
  await start("T-15", 11_000, 0.25);
  await refuseAttempt(
    engine,
    { task: keyOf("T-15"), refused: deny("R-AG-001", "the agent ended with exit 1 and no answer", {}) },
    runner,
  );
  for (const code of ["R-PW-002", "R-OR-001"] as const)
    await recordViolation(
      engine,
      {
        kind: "refused",
        task: null,
        epoch: null,
        agent: "claude session",
        tool: "Bash",
        code,
        target: ".git/config",
        reason: "agents must not change git's settings",
        bytes: 30,
      } as never,
      runner,
    );
  keepScores(ground);
  sleep(3);
  await askAll(shopping);
  // Up to now.
  engine.sleep((Date.now() - engine.clock.now().wallMs) / 1000);
  await operate(
    engine,
    "heartbeat",
    { task: keyOf("T-4"), tokens: 900 },
    { ...runner, epoch: (await engine.ledger.attempt(keyOf("T-4")))?.epoch ?? 0 },
  );
}

type Shopping = ReturnType<typeof shopLedger>;

/** The records of earlier sessions of orchestrating agents. */
function keepScores({ place }: BoardGround): void {
  const folders = orchestratorFolders(place.project, null);
  for (const [at, score] of [62, 71, 88, 84, 95].entries())
    writeReport(folders, {
      ...{ session_id: `sess_2026021${at}`, agent_role: "orchestrator", compliance_score: score },
      session_start: `2026-02-1${at}T08:00:00.000Z`,
      session_end: `2026-02-1${at}T09:00:00.000Z`,
      ...{ total_tool_calls: 40 + at, violations: { allowed: 38, warned: 1, blocked: 1 } },
      violation_breakdown: [{ type: "direct_edit", count: 1, blocked: true }],
      recommendations: [],
    });
}

/** The kinds of questions that the tasks above do not produce. */
async function askAll({ engine, ground, sleep }: Shopping): Promise<void> {
  const commit = ground.repository.git("rev-parse", "lockstep/T-3");
  await askManual(
    engine,
    { task: keyOf("T-3"), criterion: "the invoice reads well on paper", commit },
    runner,
  );
  await askVacuous(
    engine,
    {
      ...{ task: keyOf("T-3"), command: "node --test test/invoice.test.js", commit },
      why: "it also passes on the base, without the change",
    },
    runner,
  );
  await askSecurity(
    engine,
    {
      task: keyOf("T-3"),
      agent: "security",
      commit,
      summary: "invoice numbers can be guessed",
      findings: [
        "src/invoice.js: numbers are consecutive, and the invoice page takes a number without a login",
      ],
    },
    runner,
  );
  await askLogin(engine, { agent: "gemini", reason: "its token has expired" }, runner);
  sleep(2);
  await openSession(
    engine,
    {
      name: invoices,
      goal: "Invoices that pass an audit",
      mode: "full",
      base: "main",
      baseCommit: ground.repository.git("rev-parse", "main"),
    },
    runner,
  );
  const before = [keepVersion(ground.place.folder, "design.md", design.replace("signed", "plain"))];
  const documents = [keepVersion(ground.place.folder, "design.md", design)];
  const gate = {
    session: invoices,
    gate: "APPROVE_DESIGN",
    question: "Is this design right? It has 3 parts and 7 tasks.",
    options: ["approved", "changes-requested: …"],
  } as const;
  await askGate(engine, { ...gate, data: { documents: before } }, runner);
  await askGate(engine, { ...gate, data: { documents } }, runner);
  await askGate(
    engine,
    {
      session: invoices,
      gate: "REVIEW_STRATEGY",
      question: "Review after each batch, or once at the end?",
      options: ["per-batch", "single-final"],
      data: { recommended: "per-batch" },
    },
    runner,
  );
  await askSession(
    engine,
    {
      session: invoices,
      kind: "question",
      question: "Which countries need an invoice in their own language?",
      options: [],
      stateContext: "DESIGN",
      fromSecurity: false,
      about: ["languages"],
    },
    runner,
  );
  await askSession(
    engine,
    {
      session: invoices,
      kind: "repair",
      question: "Three repairs of the build failed. How should it continue?",
      options: ["retry", "accept", "stop"],
      stateContext: "INTEGRATE",
      fromSecurity: false,
      about: ["build"],
    },
    runner,
  );
}

const design = `# Invoices

1. Numbers come from one sequence per year, taken in the transaction that stores the invoice.
2. A stored invoice never changes; a correction is an invoice of its own.
3. The PDF is signed, and the page shows whether the signature holds.
`;

const roundedPrice = `/** Half-even, as banks round. */
exports.round = (value) => {
  const cents = value * 100;
  const floor = Math.floor(cents);
  const rest = cents - floor;
  if (Math.abs(rest - 0.5) > 1e-9) return Math.round(cents) / 100;
  return (floor % 2 === 0 ? floor : floor + 1) / 100;
};
`;

const priceTest = `const { test } = require("node:test");
const assert = require("node:assert");
const { round } = require("../src/price.js");

test("rounds half-even", () => assert.equal(round(2.005), 2));
`;

const centCart = (start: string) => `const { round } = require("./price.js");

/** Sums cents, so that no fraction is lost on the way. */
exports.total = (lines) => {
  const cents = lines.reduce((sum, { price, count }) => sum + Math.round(price * 100) * count, ${start});
  return round(cents / 100);
};
`;

const taxRates = `const rates = {
  de: 0.19,
  fr: 0.2,
  nl: 0.21,
};

exports.rateOf = (country) => {
  const rate = rates[country.toLowerCase()];
  if (rate === undefined) throw new Error(\`no tax rate for \${country}\`);
  return rate;
};
`;
