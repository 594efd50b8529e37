import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findAnswer } from "../../src/clients/answer/find-answer.ts";
import { readRoleAnswer } from "../../src/clients/answer/read-role-answer.ts";
import { promptFor, promptForRole } from "../../src/clients/input/prompt.ts";
import { assignmentOf, universalInput } from "../../src/clients/input/universal-input.ts";
import { builtInRoles, rolePrompt } from "../../src/clients/roles/role-prompt.ts";
import { kebabName, roleNames } from "../../src/core/names/roles.ts";
import { readAcceptance } from "../../src/core/session/artifacts/read-acceptance.ts";
import { roleFiles } from "../../src/core/session/role-files.ts";
import type { Purpose } from "../../src/core/session/session.ts";
import { promptToReview } from "../../src/run/review/review-prompt.ts";
import { findInstructions } from "../../src/workspace/config/find-instructions.ts";
import { planLinesOf } from "../support/loaded-plan.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = new URL("../../roles/", import.meta.url).pathname;
const session = "2026-01-31_shop";

function inputFor(role: string, more: { id?: string; context_files?: readonly string[] } = {}) {
  const task = {
    ...{ id: "meta", title: "t", goal: "Round prices", lock_scope: ["."], acceptance_checks: [] },
    ...{ timeout_seconds: 9, heartbeat_interval_seconds: 3, ...more },
  };
  return universalInput(task, {
    ...{ assignment: assignmentOf(task, "w.md"), attempt: 1, fixDelta: null, branch: "main" },
    ...{ projectType: "cli", role, changedFiles: [{ path: "src/a.ts", change_type: "modified" }] },
  });
}

describe("the text of a role", () => {
  it("exists for all twelve, under their names in kebab case", () => {
    expect(roleNames).toHaveLength(12);
    expect(readdirSync(folder).sort()).toEqual(roleNames.map((role) => `${kebabName(role)}.md`).sort());
    expect(kebabName("SpecAgent")).toBe("spec-agent");
    expect(kebabName("QA")).toBe("qa");
    for (const role of roleNames)
      expect(readFileSync(join(folder, `${kebabName(role)}.md`), "utf8")).toMatch(
        new RegExp(`^---\\nname: ${kebabName(role)}\\ndescription: .+\\n---\\n\\n`),
      );
  });

  it.each(roleNames)("shows %s a valid answer", (role) => {
    using project = temporaryFolder();
    const text = rolePrompt(role, { root: project.path });
    expect(text).not.toMatch(/^---/);
    expect(text.length).toBeLessThan(4000);
    expect(readRoleAnswer(findAnswer(text), { role })).not.toHaveProperty("invalid");
  });

  it("shows valid files", () => {
    using project = temporaryFolder();
    const text = (role: string) => rolePrompt(role, { root: project.path });
    const [, acceptance = ""] = /```text\n([\s\S]*?)```/.exec(text("SpecAgent")) ?? [];
    expect(readAcceptance(acceptance)).toHaveProperty("criteria");
    for (const role of ["SpecAgent", "Planner"]) {
      const [, plan = ""] = /```yaml\n([\s\S]*?)```/.exec(text(role)) ?? [];
      expect(plan, role).toContain("tasks:");
      expect(planLinesOf(plan), role).toEqual([]);
    }
  });

  it("is the project's own if it has one, also for a role of its own", () => {
    using project = temporaryFolder({
      ".lockstep/roles/spec-agent.md": "---\nname: spec-agent\n---\nAsk for the colour.\n",
      ".lockstep/roles/data-scientist.md": "Count.",
    });
    const { path: root } = project;
    expect(rolePrompt("SpecAgent", { root })).toBe("Ask for the colour.");
    expect(rolePrompt("Data Scientist", { root })).toBe("Count.");
    expect(rolePrompt("Coder", { root })).toContain("Implement the task");
    for (const role of ["Translator", "constructor", "../../config", "?"])
      expect(rolePrompt(role, { root })).toBe("Do the task.");
  });

  it.each<[string, (root: string) => void]>([
    ["is blank", () => {}],
    ["is a link", (root) => symlinkSync("coder.md", join(root, ".lockstep/roles/qa.md"))],
  ])("that %s is a configuration error", (problem, make) => {
    using project = temporaryFolder({ ".lockstep/roles/coder.md": "---\nname: coder\n---\n\n" });
    make(project.path);
    const role = problem === "is blank" ? "Coder" : "QA";
    expect(() => rolePrompt(role, { root: project.path })).toThrow(
      expect.objectContaining({ code: "E-CONFIG", message: expect.stringContaining(`it ${problem}`) }),
    );
  });

  it("is a map of files for init, each at the path of the project's own text", () => {
    expect([...builtInRoles().keys()]).toContain(".lockstep/roles/spec-agent.md");
    expect(builtInRoles().size).toBe(12);
  });
});

describe("the prompt of a role", () => {
  it("says what to write and where, what to read first, and how to answer", () => {
    using project = temporaryFolder();
    const context_files = [`.agents-work/${session}/spec.md`, `.agents-work/${session}/design-specs/a.md`];
    const files = roleFiles("plan", session);
    const prompt = promptForRole(inputFor("Planner", { context_files }), {
      ...{ role: "Planner", purpose: "plan", files, root: project.path },
    });
    for (const words of [
      "You are Planner",
      "Split the work into tasks",
      "Your request now: Plan the work.",
      `Write \`.agents-work/${session}/tasks.yaml\`.`,
      "Read every file of `task.context_files` first",
      "Follow the design-specs among them",
      "`known_issues` of the session's `status.json`",
      "answer `BLOCKED` with the reason",
      "one JSON object and nothing else",
      "`summary` has one to three sentences",
    ])
      expect(prompt).toContain(words);
    expect(prompt).not.toContain("NEEDS_");
    expect(prompt).not.toContain("copilot-instructions");
    expect(findAnswer(prompt.slice(prompt.lastIndexOf("Input:")))).toMatchObject({
      role: "Planner",
      task: { id: "meta", context_files },
    });
  });

  it("asks every role that writes files for simple, relevant Markdown", () => {
    using project = temporaryFolder();
    const promptText = (role: string, purpose: Purpose) => {
      const files = roleFiles(purpose, session, role);
      return promptForRole(inputFor(role), { role, purpose, files, root: project.path });
    };
    const rule = "- Markdown is simple and to the point: ";
    for (const [role, purpose] of [
      ["SpecAgent", "spec"],
      ["SpecAgent", "lean-setup"],
      ["Researcher", "research"],
      ["Architect", "architecture"],
      ["Designer", "design-spec"],
      ["Architect", "correction"],
      ["Docs", "release"],
    ] as const)
      expect(promptText(role, purpose), purpose).toContain(rule);
    expect(promptText("Reviewer", "final-review")).not.toContain(rule);
  });

  it("lets only a Researcher ask, and forbids files to a role that writes none", () => {
    using project = temporaryFolder();
    const request = { role: "Researcher", purpose: "research", files: [], root: project.path } as const;
    const prompt = promptForRole(inputFor("Researcher"), request);
    expect(prompt).toContain("answer `NEEDS_INFO` with each question under `artifacts.questions`");
    expect(prompt).toContain("Write no files");
  });

  it("shows an example if the project's own text has none", () => {
    using project = temporaryFolder({ ".lockstep/roles/coder.md": "Be quick." });
    const prompt = promptFor(inputFor("Coder"), { role: "Coder", root: project.path });
    expect(prompt).toContain("You are Coder in a team of agents that work on one repository. Be quick.");
    const example = findAnswer(prompt.slice(0, prompt.indexOf("Input:")));
    expect(readRoleAnswer(example, { role: "Coder" })).toMatchObject({ status: "OK" });
  });

  it("refers every role to the project's instructions if there are any", () => {
    using project = temporaryFolder();
    const { path: root } = project;
    const review = { commit: "c", base: "b", ref: "r", look_at: null };
    const prompts = () => [
      promptFor(inputFor("Coder"), { role: "Coder", root }),
      promptForRole(inputFor("Planner"), { role: "Planner", purpose: "plan", files: [], root }),
      promptToReview({ ...inputFor("QA"), review }, { role: "QA", root }),
    ];
    for (const prompt of prompts()) expect(prompt).not.toContain("copilot-instructions");
    expect(findInstructions(root)).toBe(false);
    project.write(".github/copilot-instructions.md", "Use tabs.");
    expect(findInstructions(root)).toBe(true);
    for (const prompt of prompts()) expect(prompt).toContain("Read `.github/copilot-instructions.md`");
  });
});

describe("the prompt of a review", () => {
  const review = { commit: "c", base: "b", ref: "r", look_at: null };
  const promptOf = (role: string, id = "T-001") => {
    using project = temporaryFolder();
    return promptToReview({ ...inputFor(role, { id }), review }, { role, root: project.path });
  };

  it.each([
    ["Reviewer", "Read every changed file"],
    ["QA", "Test what the task promises"],
    ["Security", "Look for security problems"],
    ["Integrator", "Make the merged work build"],
    ["Architect", "Read every changed file"],
  ])("has the text of %s", (role, words) => {
    expect(promptOf(role)).toContain(
      `You are ${role} in a team of agents that work on one repository. ${words}`,
    );
  });

  it("has the checklist of the project's kind, and the list of changed files for a Reviewer only", () => {
    expect(promptOf("Security")).toContain("Privilege escalation");
    expect(promptOf("Security")).not.toContain("CSRF");
    expect(promptOf("Reviewer")).toContain("`task.session_changed_files` lists it");
    expect(promptOf("QA")).not.toContain("`task.session_changed_files` lists it");
  });

  it("is about a task, or about a session's whole work", () => {
    expect(promptOf("QA")).toContain("Another agent has worked on task T-001.");
    expect(promptOf("QA", "meta")).toContain("The tasks of this session are done.");
    expect(promptOf("QA")).toContain("`summary` has one to three sentences.");
  });
});
