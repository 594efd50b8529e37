import { readFileSync, writeFileSync } from "node:fs";
import { it } from "vitest";
import { given, report } from "./recorder.test-support.ts";

it("prints", () => {
  const out = readFileSync("/tmp/try/in.txt", "utf8")
    .split("\n")
    .filter((l) => l !== "")
    .map((line) => {
      const [cmd = "", input] = line.split(" @@ ");
      const i =
        input === undefined
          ? undefined
          : input === "?"
            ? ({ kind: "unknown" } as const)
            : input.startsWith("file")
              ? ({ kind: "file", path: [] } as const)
              : given(input.replaceAll("\\n", "\n").replaceAll("\\t", "\t"));
      return `${line}\t=>\t${report(cmd, i)}`;
    });
  writeFileSync("/tmp/try/out.txt", out.join("\n"));
});
