import { describe, expect, test, vi } from "vitest";
import { findSecrets } from "./find-secrets.ts";
import { real } from "./secret-samples.ts";

const engine = vi.hoisted(() => ({ loaded: 0 }));
vi.mock("@secretlint/core", async (original) => {
  engine.loaded += 1;
  return await original();
});

describe("The preset's engine", () => {
  test("It is loaded by the first text that may need it, not earlier.", async () => {
    await findSecrets("Ready for merge");
    await findSecrets(
      "The token is refreshed on login; 4b825dc642cb6eb9a060e54bf8d69288fbee4904 has the fix.",
    );
    await findSecrets(real("password=hunt<+>er2x"));
    expect(engine.loaded).toBe(0);
    await findSecrets(real("ghp_<+>16C7e42F292c6912E7710c838347Ae178B4a"));
    expect(engine.loaded).toBe(1);
  });

  test("It ignores a comment that disables it.", async () => {
    const secret = real("ntn_<+>12345678901AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhI");
    expect(await findSecrets(`secretlint-disable\n${secret} secretlint-disable-line`)).toHaveLength(1);
  });

  test("It masks the whole value if a rule reports too short a range.", async () => {
    const text = real(`https://<+>${"ab1".repeat(8)}:x-oauth<+>-basic@github.com/org/repo`);
    const [finding] = await findSecrets(text);
    expect(finding?.end).toBeGreaterThanOrEqual(text.indexOf(":x-oauth"));
  });
});
