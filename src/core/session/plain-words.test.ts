import { describe, expect, it } from "vitest";
import { readApproval } from "./gate-answers.ts";
import { asOption } from "./plain-words.ts";

describe("an answer in plain words", () => {
  it.each([
    ["yes", ["approved", "refused"], "approved"],
    ["OK!", ["accept", "refuse"], "accept"],
    ["y: I have seen it", ["accept", "refuse"], "accept: I have seen it"],
    ["no", ["approved", "refused"], "refused"],
    ["reject: too long", ["accepted", "refused"], "refused: too long"],
    ["single", ["per-batch", "single-final"], "single-final"],
    ["sto", ["continue", "stop"], "stop"],
    ["ok: 50k tokens", ["continue", "stop"], "continue: 50k tokens"],
    ["no", ["continue", "stop"], "stop"],
  ])("%s is one of the options %j", (text, options, said) => {
    expect(asOption(text, options)).toBe(said);
  });

  it.each([
    ["yes, but with three digits", ["approved", "refused"]],
    ["yes", ["up", "down"]],
    ["p", ["per-batch", "pause"]],
    ["not now", ["approved", "refused"]],
  ])("%s is not one of %j", (text, options) => {
    expect(options).not.toContain(asOption(text, options));
  });
});

describe("an answer about a design", () => {
  it.each(["approved", "Approve", "yes", "y", "ok", "LGTM", "looks good.", "go ahead"])(
    "%s approves it",
    (text) => {
      expect(readApproval(text)).toMatchObject({ approved: true });
    },
  );

  it.each([
    ["changes-requested: three digits", "three digits"],
    ["changes: three digits", "three digits"],
    ["change: three digits", "three digits"],
    ["no: three digits", "three digits"],
    ["no, three digits", "three digits"],
  ])("%s asks for a change", (text, request) => {
    expect(readApproval(text)).toMatchObject({ approved: false, answer: `changes-requested: ${request}` });
  });

  it.each(["", "no", "yes, but with three digits", "perhaps", "changes-requested:", "approvedly"])(
    "%s says neither",
    (text) => {
      expect(readApproval(text)).toBeUndefined();
    },
  );
});
