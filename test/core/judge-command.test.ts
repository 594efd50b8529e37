import { describe, expect, it } from "vitest";
import { projectHolding } from "../support/fixture-project.ts";

const codes = (command: string, ...scopes: Parameters<typeof projectHolding>) => [
  ...new Set(
    projectHolding(...scopes)
      .judge(command)
      .map(({ code }) => code),
  ),
];

describe("a caller that holds the whole repository", () => {
  it.each([
    ["echo hi > README.md", []],
    ["npx prettier --write .", []],
    ["git checkout -- src/a", []],
    ["rm -rf src", []],
    ["mv docs/guide.md docs/manual.md", []],
    ["rm -rf .git", ["R-PW-002"]],
    ["rm -rf .", ["R-PW-002"]],
    ["touch .claude/settings.json", ["R-PW-002"]],
    ["touch ~/.claude/settings.json", ["R-PW-002"]],
    ["tar xf /tmp/a.tar", ["R-PW-002"]], // may have a .git of its own
    ["touch /etc/hosts", ["R-PW-001"]],
    ["touch out/hosts", ["R-PW-001"]],
    ["git push", ["R-PW-002"]],
  ])("%s", (command, expected) => {
    expect(codes(command, ["."])).toEqual(expected);
  });
});

describe("a caller with a carve-out", () => {
  it.each([
    ["touch src/a/x", []],
    ["touch src/a/gen/x", ["R-PW-002"]],
    ["rm -rf src/a", ["R-PW-002"]],
    ["rm src/a/*.ts", []],
    ["rm -r src/a/*", ["R-PW-002"]],
  ])("%s", (command, expected) => {
    expect(codes(command, ["src/a"], ["src/a/gen"])).toEqual(expected);
  });
});

describe("folders", () => {
  it.each([
    ["cp README.md src/a", []],
    ["cp README.md src/a/", []],
    ["cp -r docs src/a", []],
    ["mkdir -p src/a/new/deep", []],
    ["mkdir -p src/a", []],
    ["mkdir -p src/c", ["R-PW-001"]],
    ["cp README.md src", ["R-PW-001"]],
    ["find src/a -name '*.tmp' -delete", []],
    ["find src -name '*.tmp' -delete", ["R-PW-001"]],
    ["grep -rl foo src/a | xargs sed -i s/foo/bar/", []],
    ["grep -rl foo src | xargs sed -i s/foo/bar/", ["R-PW-001"]],
  ])("%s", (command, expected) => {
    expect(codes(command, ["src/a/**"])).toEqual(expected);
  });
});

describe("links and scratch", () => {
  it.each([
    ["rm src/a/lf", []],
    ["rm -rf src/a/*", []],
    ["rm src/a/link-b/x.ts", ["R-PW-001"]],
    ["echo > src/a/lf", ["R-PW-001"]],
    ["find src/a -name lf | xargs truncate -s0", ["R-PW-001"]],
    ["find src/a -type f | xargs truncate -s0", []],
    ["git clean -fd src/a", []],
    ["echo x > /tmp/r/notes", []],
    ["echo x >> /tmp/r/.git/config", ["R-PW-001"]],
  ])("%s", (command, expected) => {
    expect(codes(command, ["src/a/**"])).toEqual(expected);
  });
});

it("every objection has a code, a one-line reason and, if it is known, a path", () => {
  const objections = projectHolding(["src/a/**"]).judge("touch src/b/x.ts; git push; echo > $UNKNOWN");
  expect(objections.map(({ code }) => code)).toEqual(["R-PW-002", "R-PW-001", "R-PW-001"]);
  for (const { reason } of objections) expect(reason).toMatch(/^[^\n]+$/);
});
