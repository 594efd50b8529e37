import { describe, expect, it } from "vitest";
import { isIdle, isIdleScript, scriptOf } from "./idle-command.ts";

describe("a command that can only succeed", () => {
  it.each<[string, boolean]>([
    ["true", true],
    [":", true],
    ["exit 0", true],
    ["", true],
    ["echo no tests yet", true],
    ['echo "no tests yet" && exit 0', true],
    ["echo a; true\n", true],
    ["printf done", true],
    ["exit 1", false],
    ["false", false],
    ["echo $(node t.js)", false],
    ["echo `node t.js`", false],
    ["echo a | node t.js", false],
    ["echo a > b", false],
    ["echo a & node t.js", false],
    ["true && node --test", false],
    ["echoes", false],
    ["node --test", false],
  ])("%s: %s", (command, idle) => {
    expect(isIdle(command)).toBe(idle);
  });
});

describe("the script that a command runs", () => {
  it.each<[string, string | undefined]>([
    ["npm test", "test"],
    ["npm t", "test"],
    ["npm test --silent", "test"],
    [" npm  run unit:all ", "unit:all"],
    ["pnpm test", "test"],
    ["yarn run a-b", "a-b"],
    ["npm test && make", undefined],
    ["npm install", undefined],
    ["node --test", undefined],
  ])("%s: %s", (command, script) => {
    expect(scriptOf(command)).toBe(script);
  });

  it.each<[string, string, boolean]>([
    ["an idle one", '{"scripts":{"test":"exit 0"}}', true],
    ["one before another one that works", '{"scripts":{"test":"exit 0","posttest":"node t.js"}}', false],
    ["one that works", '{"scripts":{"test":"node t.js","pretest":"true"}}', false],
    ["none", '{"scripts":{}}', false],
    ["a manifest that does not parse", "{", false],
  ])("is judged: %s", (_name, manifest, idle) => {
    expect(isIdleScript(manifest, "test")).toBe(idle);
  });
});
