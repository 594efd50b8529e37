import { describe, expect, it } from "vitest";
import { ProofWindow } from "./proof-window.ts";

describe("the window of changes that are proven in advance", () => {
  it("grows by one with each pass, and is halved by a failure, down to three", () => {
    const window = new ProofWindow();
    const sizes = [window.size];
    for (const outcome of ["passed", "failed", "failed", "failed", "failed", "passed"] as const) {
      window[outcome]();
      sizes.push(window.size);
    }
    expect(sizes).toEqual([20, 21, 10, 5, 3, 3, 4]);
  });
});
