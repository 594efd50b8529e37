import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { bootId, machineClock } from "../../src/workspace/process/machine-clock.ts";

const source = new URL("../../src/workspace/process/machine-clock.ts", import.meta.url).href;

/** What the clock of another process says. */
function elsewhere(): ReturnType<ReturnType<typeof machineClock>["now"]> {
  const script = `const { machineClock } = await import(${JSON.stringify(source)});
    console.log(JSON.stringify(machineClock().now()))`;
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }),
  );
}

describe("the machine's clock", () => {
  it("goes on in whole milliseconds, and has the wall time beside them", () => {
    const clock = machineClock();
    const [before, first] = [Date.now(), clock.now()];
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    const [second, after] = [clock.now(), Date.now()];
    expect(second.monoMs - first.monoMs).toBeGreaterThanOrEqual(19);
    expect(Number.isInteger(first.monoMs)).toBe(true);
    expect(first.wallMs).toBeGreaterThanOrEqual(before);
    expect(second.wallMs).toBeLessThanOrEqual(after);
  });

  it("is one clock for all processes of a boot", () => {
    const clock = machineClock();
    const [before, other, after] = [clock.now(), elsewhere(), clock.now()];
    expect(other.boot).toBe(before.boot);
    expect(other.monoMs).toBeGreaterThanOrEqual(before.monoMs);
    expect(other.monoMs).toBeLessThanOrEqual(after.monoMs);
  });

  it("names the boot by the machine's own id", () => {
    expect(bootId()).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
    expect(machineClock().now().boot).toBe(bootId());
  });
});
