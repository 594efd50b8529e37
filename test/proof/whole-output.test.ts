import { describe, expect, it } from "vitest";
import { real } from "../../src/core/secrets/secret-samples.ts";
import { WholeOutput } from "../../src/proof/whole-output.ts";

const kibibyte = 1024;
const bytesMax = 280 * kibibyte;

function outputOf(text: string, chunkBytes = 65_536): Promise<string> {
  const output = new WholeOutput(bytesMax);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) output.add(bytes.subarray(at, at + chunkBytes));
  return output.masked();
}
const filled = (text: string, length: number) =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);

describe("the output of a check", () => {
  it("is kept completely, without colours, up to a limit", async () => {
    expect(await outputOf("\u001b[31mré\u001b[0md\r\n50%\r100%\n", 3)).toBe("réd\n50%\n100%\n");
    const long = filled("a line of text\n", bytesMax);
    expect(await outputOf(long)).toBe(long);
  });

  it("above the limit is its beginning and its end, with the size of the omitted part", async () => {
    const lines = Array.from({ length: 400_000 }, (_, at) => `line ${at}\n`).join("");
    const kept = await outputOf(lines);
    expect(kept.length).toBeLessThan(bytesMax);
    expect(kept.length).toBeGreaterThan(bytesMax / 2);
    expect(kept.startsWith("line 0\nline 1\n")).toBe(true);
    expect(kept.endsWith("line 399999\n")).toBe(true);
    const [cut = "", ...others] = kept.split("\n").filter((line) => line !== "" && !/^line \d+$/.test(line));
    expect(others).toEqual([]);
    const [, missing] = /^\[… about (\d+\.\d) MiB of output left out …\]$/.exec(cut) ?? [];
    expect(Number(missing)).toBeCloseTo((lines.length - bytesMax) / kibibyte / kibibyte, 0);
  });

  const token = real("ghp<+>_") + "aB3dE5".repeat(6);
  const body = `${"QmFzZTY0".repeat(8)}\n`.repeat(20);
  const key = `${real("-----BEGIN RSA PRI<+>VATE KEY-----")}\n${body}-----END RSA PRIVATE KEY-----\n`;
  it.each([
    ["tokens in one endless line", `${token} `, "aB3dE5"],
    ["tokens line by line", `${token}\n`, "aB3dE5"],
    ["private keys of many lines", key, "QmFzZTY0"],
    ["tokens in colour", `\u001b[32m${token}\u001b[0m\n`, "aB3dE5"],
  ])("has no secret at the cut: %s", async (_name, secret, part) => {
    // At another position each time.
    for (const shift of secret.includes("\n") ? [0, 700] : [0, 10, 20, 30]) {
      const kept = await outputOf("\n".repeat(shift) + filled(secret, 420 * kibibyte));
      expect(kept).toContain("of output left out");
      expect(kept).not.toContain(part);
    }
  });

  it("uses bounded memory, whatever the size of the output", async () => {
    const output = new WholeOutput(bytesMax);
    const chunk = Buffer.from(filled("no secret here\n", 65_536));
    for (let count = 0; count < 1600; count += 1) output.add(chunk);
    expect((await output.masked()).length).toBeLessThan(bytesMax);
  });
});
