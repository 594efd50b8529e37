import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { memoryDisk } from "../../../test/support/memory-disk.ts";
import { checkBatch, declarationYaml, declareBatch } from "./batch-declaration.ts";
import { place } from "./plan.test-support.ts";

const world = { place, disk: memoryDisk({}) };
const declared = (...owned: string[][]) =>
  declareBatch(
    "BATCH-20260131T120000Z",
    owned.map((lockScope, index) => ({ agent: `Agent ${index}`, lockScope })),
  );

describe("a batch's declaration", () => {
  const batch = declareBatch("BATCH-1", [
    { agent: "Backend", lockScope: ["src/api/**", "src/services/**"] },
    { agent: 'QA: "x"', lockScope: ["tests/**"] },
  ]);

  it("says which agent owns which files", () => {
    expect(declarationYaml(batch)).toBe(`parallelBatch:
  batchId: "BATCH-1"
  agents:
    - agent: "Backend"
      ownedFiles: ["src/api/**", "src/services/**"]
    - agent: "QA: \\"x\\""
      ownedFiles: ["tests/**"]
`);
  });

  it("is YAML with the same content, and is accepted", () => {
    const read = parse(declarationYaml(batch));
    expect(read).toEqual(batch);
    expect(checkBatch(read, world)).toMatchObject({ allow: true });
  });
});

describe("a batch is refused", () => {
  it.each<[string, string[][], string]>([
    [
      "whose agents own the same file",
      [["src/a"], ["x", "src/a"]],
      "`src/a` of `Agent 1` overlaps `src/a` of `Agent 0`: run them one after the other",
    ],
    [
      "whose globs could name one file",
      [["src/**"], ["docs"], ["**/*.ts"]],
      "`**/*.ts` of `Agent 2` overlaps `src/**` of `Agent 0`: run them one after the other",
    ],
  ])("%s", (_, owned, reason) => {
    expect(checkBatch(declared(...owned), world)).toMatchObject({ allow: false, code: "R-LK-001", reason });
  });

  it("in which one agent appears twice with the same file", () => {
    const twice = [
      { agent: "coder", lockScope: ["a"] },
      { agent: "coder", lockScope: ["a/b"] },
    ];
    expect(checkBatch(declareBatch("B", twice), world)).toMatchObject({ allow: false, code: "R-LK-001" });
  });

  it.each<[string, unknown]>([
    ["no declaration", {}],
    ["no name", { parallelBatch: { agents: [{ agent: "a", ownedFiles: ["x"] }] } }],
    ["no agents", { parallelBatch: { batchId: "B", agents: [] } }],
    ["an agent without a name", { parallelBatch: { batchId: "B", agents: [{ ownedFiles: ["x"] }] } }],
    ["an agent without files", { parallelBatch: { batchId: "B", agents: [{ agent: "a" }] } }],
    ["a file outside the project", declared(["../x"])],
  ])("that is malformed: %s", (_, declaration) => {
    expect(checkBatch(declaration, world)).toMatchObject({ allow: false, code: "R-IN-001" });
  });
});
