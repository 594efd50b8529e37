import { describe, expect, test } from "vitest";
import { findSecrets } from "./find-secrets.ts";
import { real } from "./secret-samples.ts";

const SMALL = 131_072;
const GROWTH = 8;

/** Beginnings of patterns without an end. Each is repeated to fill the text. */
const REPEATS: readonly string[] = [
  "a",
  "aB1",
  "-",
  "://",
  "://a:",
  "token=",
  "token:1",
  "token='a1",
  "password: ",
  "secret",
  "--token ",
  "-----BEGIN ",
  real("-----BEGIN PRI<+>VATE KEY-----"),
  "eyJ",
  "eyJaaaaaa.",
  "eyJaaaaaa.eyJaaaaaa!",
  "bearer ",
  "aws key ",
  "sk-",
  "SG.aaaaaaaaaaaaaaaaaa.",
  "&sig=",
  "https://",
  "ghs_1_",
  `npm_${"a".repeat(36)} `,
  `SG.a.${"a".repeat(257)} `,
];

/** CPU time, which does not depend on the load of the machine. */
async function millisecondsFor(repeat: string, size: number): Promise<number> {
  const text = repeat.repeat(Math.ceil(size / repeat.length)).slice(0, size);
  const start = process.cpuUsage();
  await findSecrets(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

describe("The time of a scan", () => {
  test.each(REPEATS)("It grows no faster than a text of repeated %j.", async (repeat) => {
    await millisecondsFor(repeat, SMALL / 4);
    const small = Math.min(await millisecondsFor(repeat, SMALL), await millisecondsFor(repeat, SMALL));
    const large = await millisecondsFor(repeat, SMALL * GROWTH);
    // Quadratic time would be 64 times as much. The constant allows for pauses of a busy machine.
    expect(large).toBeLessThan(small * GROWTH * 3 + 300);
  });
});
