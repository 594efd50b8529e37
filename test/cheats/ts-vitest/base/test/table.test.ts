import { expect, test } from "vitest";
import { table } from "../src/table.ts";

const rows = [
  ["tea", "3.35"],
  ["cups", "12.50"],
];

test("a table has a head, a line and its rows", () => {
  expect(table(["name", "price"], rows)).toHaveLines(4);
});

test("numbers are aligned at the right", () => {
  expect(table(["name", "price"], rows)).toMatchSnapshot();
});

test("a missing cell is empty", () => {
  expect(table(["a", "b"], [["x"]])).toBe("a  b\n-  -\nx\n");
});
