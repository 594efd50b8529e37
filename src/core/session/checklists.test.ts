import { describe, expect, it } from "vitest";
import { roleNames } from "../names/roles.ts";
import { checklistFor } from "./checklists.ts";

const checkers = ["Reviewer", "QA", "Security"];
const text = (role: string, type: string, files?: readonly string[]) =>
  checklistFor(role, type, files).join("\n");
const everything = (type: string) => checkers.map((role) => text(role, type)).join("\n");

describe("the checklist", () => {
  it("has every item for the web", () => {
    for (const word of ["CSRF", "XSS", "SQL injection", "Tenant scoping", "Templates"])
      expect(text("Security", "web")).toContain(word);
    expect(text("Reviewer", "web")).toMatch(/Templates[\s\S]*Tenant scoping/);
    expect(text("QA", "web")).toContain("Pages");
  });

  it.each<[string, readonly string[], readonly string[]]>([
    [
      "api",
      ["XSS", "Templates", "Pages", "Arguments"],
      ["Authentication", "Input validation", "Rate limiting"],
    ],
    ["cli", ["CSRF", "XSS", "Tenant", "Templates"], ["Input validation", "Privilege escalation", "Secrets"]],
    ["lib", ["CSRF", "XSS", "Tenant", "Templates"], ["API safety", "Input validation", "Dependency hygiene"]],
  ])("for %s leaves out %j and has %j", (type, without, focus) => {
    for (const word of without) expect(everything(type)).not.toContain(word);
    for (const word of focus) expect(text("Security", type)).toContain(word);
  });

  it.each<[readonly string[], readonly string[], readonly string[]]>([
    [["README.md"], ["Secrets"], ["CSRF", "SQL", "Dependency", "Privilege", "Input"]],
    [["web/index.html"], ["CSRF", "XSS", "Templates"], ["SQL", "Privilege", "Dependency"]],
    [["src/app.tsx"], ["XSS", "Templates", "SQL", "Privilege"], ["Dependency"]],
    [["package-lock.json"], ["Dependency"], ["XSS", "SQL"]],
    [["db/001.sql"], ["SQL injection", "Tenant"], ["Templates", "Rate limiting"]],
    [
      ["src/main.rs", "docs/a.md"],
      ["SQL injection", "Privilege", "API safety"],
      ["Templates", "Dependency"],
    ],
    [[], ["CSRF", "XSS", "SQL", "Privilege", "API safety", "Dependency"], []],
  ])("of a mixed project depends on the changed files %j", (files, has, lacks) => {
    for (const word of has) expect(text("Security", "mixed", files)).toContain(word);
    for (const word of lacks) expect(text("Security", "mixed", files)).not.toContain(word);
  });

  it("is only for roles that check others' work", () => {
    for (const type of ["web", "api", "cli", "lib", "mixed"])
      for (const role of [...roleNames, "constructor"])
        expect(checklistFor(role, type).length > 0, `${role} ${type}`).toBe(checkers.includes(role));
  });
});
