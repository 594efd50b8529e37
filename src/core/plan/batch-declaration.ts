import { PathIndex } from "../paths/path-index.ts";
import type { Disk, Place } from "../paths/place.ts";
import { readScope } from "../points/read-scope.ts";
import { allow, deny, type Verdict } from "../rules/verdict.ts";
import { quoted } from "../text/quoted.ts";
import { field, isText } from "../values/fields.ts";

/** The files that each agent owns while a batch runs (S1). */
export interface BatchDeclaration {
  readonly parallelBatch: {
    readonly batchId: string;
    readonly agents: readonly { readonly agent: string; readonly ownedFiles: readonly string[] }[];
  };
}

export function declareBatch(
  batchId: string,
  tasks: readonly { readonly agent: string; readonly lockScope: readonly string[] }[],
): BatchDeclaration {
  const agents = tasks.map(({ agent, lockScope }) => ({ agent, ownedFiles: [...lockScope] }));
  return { parallelBatch: { batchId, agents } };
}

/** The declaration as YAML, with every string quoted. */
export function declarationYaml({ parallelBatch: { batchId, agents } }: BatchDeclaration): string {
  const lines = agents.flatMap(({ agent, ownedFiles }) => [
    `    - agent: ${JSON.stringify(agent)}`,
    `      ownedFiles: [${ownedFiles.map((file) => JSON.stringify(file)).join(", ")}]`,
  ]);
  return ["parallelBatch:", `  batchId: ${JSON.stringify(batchId)}`, "  agents:", ...lines, ""].join("\n");
}

/** Refuses a batch in which two entries could own the same file, even if both name the same agent. */
export function checkBatch(declaration: unknown, world: { place: Place; disk: Disk }): Verdict {
  const batch = field(declaration, "parallelBatch");
  const agents = field(batch, "agents");
  if (!isText(field(batch, "batchId"))) return malformed("`batchId` is missing");
  if (!Array.isArray(agents) || agents.length === 0) return malformed("`agents` is missing or empty");
  const index = new PathIndex();
  for (const [number, item] of agents.entries()) {
    const agent = field(item, "agent");
    if (!isText(agent)) return malformed(`entry ${number} of \`agents\` has no \`agent\``);
    const owned = readScope(field(item, "ownedFiles"), "ownedFiles", world);
    if ("error" in owned) return malformed(`of ${quoted(agent)}, ${owned.error}`);
    for (const entry of owned.entries) {
      const held = index.overlapping(entry);
      if (held !== undefined)
        return deny(
          "R-LK-001",
          `${quoted(entry.text)} of ${quoted(agent)} overlaps ${quoted(held.text)} of ${quoted(held.owner)}: run them one after the other`,
          { a: held.owner, b: agent, resource_a: held.text, resource_b: entry.text },
        );
    }
    for (const entry of owned.entries) index.add(agent, entry);
  }
  return allow();
}

function malformed(problem: string): Verdict {
  return deny("R-IN-001", `the batch declaration is invalid: ${problem}`);
}
