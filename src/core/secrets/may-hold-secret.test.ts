import { lintSource } from "@secretlint/core";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CLEAN_SAMPLES } from "./clean-samples.ts";
import { mayHoldSecret } from "./may-hold-secret.ts";
import { real, SECRET_SAMPLES } from "./secret-samples.ts";

const SOURCE = { filePath: "", ext: ".txt", contentType: "text" } as const;

/** The patterns of the installed preset, recorded as each rule applies them to a text. */
function presetPatterns(): { id: string; pattern: RegExp }[] {
  const caught: { id: string; pattern: RegExp }[] = [];
  for (const rule of rules) {
    const matchAll = (pattern: RegExp) => {
      caught.push({ id: rule.meta.id.replace("@secretlint/secretlint-rule-", ""), pattern });
      return [];
    };
    const context = {
      createTranslator: () => () => ({}),
      report: () => {},
      ignore: () => {},
      sharedOptions: {},
    };
    const create = rule.create as unknown as (
      context: object,
      options: object,
    ) => { file(source: object): void };
    create(context, {}).file({ ...SOURCE, content: { matchAll } });
  }
  return caught.filter(({ id }) => id !== "filter-comments");
}

/** Without look-around and case folding, which the generator does not support, and with short repetitions. */
function simplified(pattern: RegExp): RegExp {
  const plain = pattern.source.replace(/\(\?<?!(?:\[[^\]]*\]|\\p\{L\}|\\w)\)|\\b/g, "");
  return new RegExp(plain.replace(/\{(\d+),\d+\}/g, (_, least: string) => `{${least},${Number(least) + 4}}`));
}

describe("mayHoldSecret", () => {
  test("It knows all patterns of the installed preset.", () => {
    const ids = presetPatterns().map(({ id }) => id);
    expect(ids).toHaveLength(35);
    const silent = rules.map(({ meta }) => meta.id.replace("@secretlint/secretlint-rule-", ""));
    expect(silent.filter((id) => !ids.includes(id))).toEqual(["gcp", "filter-comments"]);
  });

  test.each(presetPatterns())("It passes on what the rule $id matches with $pattern.", ({ pattern }) => {
    const simple = simplified(pattern);
    const upper = pattern.ignoreCase ? fc.boolean() : fc.constant(false);
    fc.assert(
      fc.property(fc.stringMatching(simple), upper, fc.string(), (text, shout, around) => {
        // The database patterns also match addresses without credentials, which their rules then drop.
        const groups = simple.exec(text)?.groups ?? {};
        fc.pre(!("password" in groups) || groups.password !== undefined);
        expect(mayHoldSecret(around + (shout ? text.toUpperCase() : text) + around)).toBe(true);
      }),
    );
  });

  test.each(SECRET_SAMPLES)("It passes on %s if the preset flags it.", async (_name, sample) => {
    const content = real(sample).replace(/[‹›]/g, "");
    const config = { rules: rules.map((rule) => ({ id: rule.meta.id, rule })) };
    const { messages } = await lintSource({ source: { ...SOURCE, content }, options: { config } });
    if (messages.length > 0) expect(mayHoldSecret(content)).toBe(true);
  });

  test("It rejects most ordinary texts.", () => {
    const through = CLEAN_SAMPLES.filter(([, text]) => mayHoldSecret(text));
    expect(through.length).toBeLessThan(CLEAN_SAMPLES.length / 10);
  });
});
