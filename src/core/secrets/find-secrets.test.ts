import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CLEAN_SAMPLES } from "./clean-samples.ts";
import { findSecrets } from "./find-secrets.ts";
import { real, SECRET_SAMPLES } from "./secret-samples.ts";

const PADDING = 40_000;

/** The plain text of a sample, and the position of its secret. */
function parse(sample: string): { text: string; start: number; end: number } {
  const [before = "", secret = "", after = ""] = real(sample).split(/[‹›]/);
  return { text: before + secret + after, start: before.length, end: before.length + secret.length };
}

describe("findSecrets", () => {
  test.each(SECRET_SAMPLES)("It finds all of %s.", async (_name, sample) => {
    const { text, start, end } = parse(sample);
    const found = await findSecrets(text);
    expect(found).toHaveLength(1);
    expect(found[0]?.start).toBeLessThanOrEqual(start);
    expect(found[0]?.end).toBeGreaterThanOrEqual(end);
  });

  test.each(CLEAN_SAMPLES)("It accepts %s.", async (_name, text) => {
    expect(await findSecrets(text)).toEqual([]);
  });

  test("It reports only the value if a rule knows where that is.", async () => {
    const { text, start, end } = parse("set my_token=‹Zk3<+>v9QwErTyUiOp› please");
    expect(await findSecrets(text)).toEqual([{ rule: "assigned-secret", start, end }]);
  });

  test("It names the most specific rule if several rules find the same secret.", async () => {
    const { text, start, end } = parse("token=‹ghp_<+>16C7e42F292c6912E7710c838347Ae178B4a›");
    expect(await findSecrets(text)).toEqual([{ rule: "github-token", start, end }]);
  });

  test("It finds every secret in one text with all of them, in order and without overlap.", async () => {
    const samples = SECRET_SAMPLES.map(([, sample]) => parse(sample));
    const found = await findSecrets(samples.map(({ text }) => text).join("\n--\n"));
    let offset = 0;
    for (const { text, start, end } of samples) {
      const covered = found.some((f) => f.start <= offset + start && f.end >= offset + end);
      expect(covered, text).toBe(true);
      offset += text.length + "\n--\n".length;
    }
    expect(found.every((finding, i) => i === 0 || finding.start >= (found[i - 1]?.end ?? 0))).toBe(true);
  });

  test("It finds a secret that only the preset knows, at any position of a long text.", async () => {
    const secret = real("ntn_<+>12345678901AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhI");
    for (const start of [0, 49_102, 49_130, 49_152, 65_490, 65_510, 65_536, 98_304, 150_000]) {
      const text = `${"word ".repeat(PADDING).slice(0, Math.max(0, start - 1))} ${secret} ${"end ".repeat(PADDING)}`;
      const at = text.indexOf(secret);
      expect(await findSecrets(text)).toEqual([{ rule: "notion", start: at, end: at + secret.length }]);
    }
  });

  test("It counts offsets from the byte order mark.", async () => {
    const secret = real("ntn_<+>12345678901AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhI");
    expect(await findSecrets(`\u{feff}${secret}`)).toEqual([
      { rule: "notion", start: 1, end: 1 + secret.length },
    ]);
  });

  test("It finds nothing in its own source.", async () => {
    for (const file of readdirSync(import.meta.dirname)) {
      const text = readFileSync(`${import.meta.dirname}/${file}`, "utf8");
      expect(await findSecrets(text), file).toEqual([]);
    }
  });
});
