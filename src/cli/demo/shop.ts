interface Expectation {
  readonly exports: string;
  readonly says: string;
  /** The arguments of `assert.equal`: the call, and the expected result. */
  readonly holds: string;
}

export function testOf(module: string, { exports, says, holds }: Expectation): string {
  return [
    'import assert from "node:assert/strict";',
    'import test from "node:test";',
    `import { ${exports} } from "../src/${module}.js";`,
    "",
    `test("${says}", () => assert.equal(${holds}));`,
    "",
  ].join("\n");
}

/** A module and its test, as files of the project. */
export function moduleFiles(
  name: string,
  { text, ...expected }: Expectation & { readonly text: string },
): Readonly<Record<string, string>> {
  return { [`src/${name}.js`]: text, [`test/${name}.test.js`]: testOf(name, expected) };
}

const manifest = { name: "shop", private: true, type: "module", scripts: { test: "node --test" } };

export const moneyModule = "export const cents = (amount) => Math.round(amount * 100);\n";
export const taxModule = "export const withTax = (cents) => cents + Math.round(cents * 0.2);\n";

/** A small shop in plain JavaScript without dependencies; its tests pass. */
export const shop: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
  ...moduleFiles("money", {
    exports: "cents",
    text: moneyModule,
    says: "an amount is rounded to cents",
    holds: "cents(0.29), 29",
  }),
  ...moduleFiles("cart", {
    exports: "total",
    text: "export const total = (items) => items.reduce((sum, { cents, count }) => sum + cents * count, 0);\n",
    says: "a cart costs what is in it",
    holds: "total([{ cents: 250, count: 2 }, { cents: 100, count: 1 }]), 600",
  }),
  ...moduleFiles("discount", {
    exports: "discounted",
    text: "export const discounted = (cents, percent) => cents - Math.round((cents * percent) / 100);\n",
    says: "ten percent off",
    holds: "discounted(1000, 10), 900",
  }),
  ...moduleFiles("tax", {
    exports: "withTax",
    text: taxModule,
    says: "tax is added",
    holds: "withTax(1000), 1200",
  }),
};
