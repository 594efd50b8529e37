import { describe, expect, it } from "vitest";
import { isAnswer } from "./is-answer.ts";

describe("JSON that a program prints", () => {
  it.each<[string, unknown]>([
    ["an agent's status", { status: "OK" }],
    ["an agent's status with any other field", { status: "BLOCKED", why: "no key", level: 30 }],
    ["a question", { status: "NEEDS_INFO" }],
    ["a hook's status alone", { status: "failed" }],
    ["a misspelled status with a summary", { status: "Done", summary: "it is done" }],
    ["a status with a reason", { status: "blocked", reason: "no key" }],
    ["a hook result", { status: "done", changes: [] }],
    ["a delegation's output", { status: "complete", deliverable: {} }],
    ["a result in a wrapper", { result: { status: "done" } }],
    ["an error report", { error: { errorType: "test", message: "red" } }],
    ["an escalation", { escalation: {} }],
  ])("is an answer with %s", (_, object) => expect(isAnswer(object)).toBe(true));

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a list", [{ status: "OK" }]],
    ["a line of a log", { level: 30, time: 1, msg: "listening" }],
    ["the status of an HTTP answer", { status: 200, url: "/" }],
    ["a tool's progress", { step: "lint", status: "done" }],
    ["a layer of an image", { status: "Pull complete", id: "a1" }],
    ["a logged error", { level: "error", error: { message: "not found", stack: "at x" } }],
    ["another tool's result", { result: { rows: 3 } }],
    ["a text as an error", { error: "not found" }],
    ["a summary alone", { summary: { passed: 3 } }],
  ])("is not an answer with %s", (_, object) => expect(isAnswer(object)).toBe(false));
});
