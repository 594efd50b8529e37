import { describe, expect, it } from "vitest";
import { type Accounted, accountOf } from "./account.ts";

const plain: Accounted = { adapter: "claude", model: null, args: [], env: {} };
const isSame = (one: Partial<Accounted>, other: Partial<Accounted>) =>
  accountOf("a", { ...plain, ...one }) === accountOf("b", { ...plain, ...other });

describe("agents share a quota", () => {
  it.each<[string, Partial<Accounted>, Partial<Accounted>]>([
    ["of one client", {}, {}],
    ["with other models of one client", { model: "opus" }, { model: "sonnet" }],
    ["with models of one provider", { model: "openai/a" }, { model: "openai/b/c" }],
    ["with the same variables in another order", { env: { A: "1", B: "2" } }, { env: { B: "2", A: "1" } }],
  ])("%s", (_, one, other) => expect(isSame(one, other)).toBe(true));
});

describe("agents do not share a quota", () => {
  it.each<[string, Partial<Accounted>, Partial<Accounted>]>([
    ["of different clients", {}, { adapter: "codex" }],
    ["with another key", { env: { ANTHROPIC_API_KEY: "1" } }, { env: { ANTHROPIC_API_KEY: "2" } }],
    ["with a key and without", {}, { env: { ANTHROPIC_API_KEY: "2" } }],
    ["with other settings", { env: { CLAUDE_CONFIG_DIR: "/a" } }, { env: { CLAUDE_CONFIG_DIR: "/b" } }],
    ["with another profile", { adapter: "codex", args: ["--profile", "work"] }, { adapter: "codex" }],
    ["with models of different providers", { model: "openai/a" }, { model: "anthropic/a" }],
    ["that are programs", { adapter: "command" }, { adapter: "command" }],
    ["that are scripts", { adapter: "script" }, { adapter: "script" }],
  ])("%s", (_, one, other) => expect(isSame(one, other)).toBe(false));
});
