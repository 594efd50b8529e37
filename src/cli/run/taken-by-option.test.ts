import { expect, it } from "vitest";
import { takenByOption } from "./taken-by-option.ts";

const variadic = ["--scope", "--check"];

it.each([
  ["land --scope src mine", "`--scope` took `src` and `mine`"],
  ["land --scope src lib mine --json", "`--scope` took `src` and `lib` and `mine`"],
  ["do --scope src --check true goal", "`--check` took `true` and `goal`"],
])("%s names the arguments that the option took", (line, expected) => {
  expect(takenByOption(line.split(" "), variadic)).toContain(expected);
});

it.each(["land", "land --scope src", "land --scope src -- mine", "land --json a b"])(
  "%s: the option took no argument",
  (line) => {
    expect(takenByOption(line.split(" "), variadic)).toBeUndefined();
  },
);
