import { expect } from "vitest";

expect.extend({
  toHaveLines(text: string, count: number) {
    const lines = text.split("\n").length - 1;
    return { pass: lines === count, message: () => `${lines} lines instead of ${count}` };
  },
});
