import { describe, expect, test } from "vitest";
import { CLEAN_SAMPLES } from "./clean-samples.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { real, SECRET_SAMPLES } from "./secret-samples.ts";

describe("maskSecrets", () => {
  test("It replaces each secret by the name of the rule.", async () => {
    const text = real("a ghp_<+>16C7e42F292c6912E7710c838347Ae178B4a b password=hunt<+>er2x c");
    expect(await maskSecrets(text)).toBe("a [secret: github-token] b password=[secret: assigned-secret] c");
  });

  test.each(SECRET_SAMPLES)("It removes all of %s.", async (_name, sample) => {
    const [before = "", secret = "", after = ""] = real(sample).split(/[‹›]/);
    const masked = await maskSecrets(before + secret + after);
    for (const piece of secret.match(/[^\s:/]{8,}/g) ?? [secret])
      expect(masked).not.toContain(piece.slice(-8));
  });

  test.each(SECRET_SAMPLES)("It changes nothing if %s is masked already.", async (_name, sample) => {
    const masked = await maskSecrets(real(sample).replace(/[‹›]/g, ""));
    expect(await maskSecrets(masked)).toBe(masked);
  });

  test.each(CLEAN_SAMPLES)("It does not change %s.", async (_name, text) => {
    expect(await maskSecrets(text)).toBe(text);
  });
});
