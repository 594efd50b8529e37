import { describe, expect, it } from "vitest";
import { isAllowed, rulesIn } from "./permission-rules.ts";

const allowed = (command: string, permissions: object) => isAllowed(command, [rulesIn({ permissions })]);

describe("a command and the permission rules of Claude's user", () => {
  it.each([
    ["npm test", "Bash(npm test)"],
    ["npm test", "Bash(npm test:*)"],
    ["npm test -- --run x", "Bash(npm test:*)"],
    ["npm run build", "Bash(npm run *)"],
    ["node -e 'a();b'", "Bash(node:*)"],
    ['node -e "a()"', "Bash(node:*)"],
    ["git push origin main", "Bash(git * main)"],
    ["make", "Bash"],
    ["make", "Bash(*)"],
  ])("%j is allowed by %j", (command, rule) => {
    expect(allowed(command, { allow: [rule] })).toBe(true);
  });

  it.each([
    ["npm test x", "Bash(npm test)"],
    ["npm testing", "Bash(npm test:*)"],
    ["npm  test", "Bash(npm test:*)"],
    ["npm test", "Edit(npm test)"],
    ["npm test", "BashOutput"],
    ["npm.test", "Bash(npm?test)"],
    ["X=1 npm test", "Bash(npm test:*)"],
  ])("%j is not allowed by %j", (command, rule) => {
    expect(allowed(command, { allow: [rule] })).toBe(false);
  });

  it.each([
    ...["npm test; rm x", "npm test && rm x", "npm test | sh", "npm test > x", "npm test\nrm x"],
    ...["npm test $(rm x)", 'npm test "$(rm x)"', 'npm test "`rm x`"', "npm test $X", "npm test & rm x"],
    ...["npm test \\' ; rm x \\'", "npm test 'x", "npm test # x", "npm test $'\\''"],
  ])("%j is not a simple command", (command) => {
    expect(allowed(command, { allow: ["Bash(npm test:*)"] })).toBe(false);
  });

  it.each([
    ["npm publish", "Bash(npm publish)"],
    ["npm publish --dry-run", "Bash(npm publish:*)"],
    ["npm run deploy", "Bash(* deploy)"],
    ["timeout 5 npm publish", "Bash(npm publish:*)"],
    ["./node_modules/.bin/npm publish", "Bash(npm publish:*)"],
    ["npm x", "Bash"],
  ])("%j is not allowed if any settings file asks about or denies %j", (command, rule) => {
    for (const kind of ["ask", "deny"])
      expect(
        isAllowed(command, [
          rulesIn({ permissions: { allow: ["Bash(npm:*)", "Bash(timeout:*)", "Bash(./*)"] } }),
          rulesIn({ permissions: { [kind]: [rule] } }),
        ]),
      ).toBe(false);
  });

  it("is not allowed by settings without a rule about it", () => {
    for (const settings of [undefined, null, [], { permissions: 1 }, { permissions: { allow: "Bash" } }])
      expect(isAllowed("make", [rulesIn(settings)])).toBe(false);
  });
});
