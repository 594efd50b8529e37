import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { bootId, machineClock } from "../../src/workspace/process/machine-clock.ts";

const source = new URL("../../src/workspace/process/machine-clock.ts", import.meta.url).href;

/** The clock of another process. */
function elsewhere(): ReturnType<ReturnType<typeof machineClock>["now"]> {
  const script = `const { machineClock } = await import(${JSON.stringify(source)});
    console.log(JSON.stringify(machineClock().now()))`;
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }),
  );
}

describe("the machine's clock", () => {
  it("counts whole milliseconds, together with the wall time", () => {
    const clock = machineClock();
    const [before, first] = [Date.now(), clock.now()];
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    const [second, after] = [clock.now(), Date.now()];
    expect(second.monoMs - first.monoMs).toBeGreaterThanOrEqual(19);
    expect(Number.isInteger(first.monoMs)).toBe(true);
    expect(first.wallMs).toBeGreaterThanOrEqual(before);
    expect(second.wallMs).toBeLessThanOrEqual(after);
  });

  it("is the same for all processes of a boot", () => {
    const clock = machineClock();
    const [before, other, after] = [clock.now(), elsewhere(), clock.now()];
    expect(other.boot).toBe(before.boot);
    expect(other.monoMs).toBeGreaterThanOrEqual(before.monoMs);
    expect(other.monoMs).toBeLessThanOrEqual(after.monoMs);
  });

  it("identifies the boot by the id of the machine", () => {
    expect(bootId()).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
    expect(machineClock().now().boot).toBe(bootId());
  });
});
