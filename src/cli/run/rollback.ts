import { type RolledBack, rollBack } from "../../run/landing/undo/roll-back.ts";
import { findOnlyTask } from "../open/find-task.ts";
import { inRepository, type RepositoryOptions } from "../open/in-repository.ts";
import { outcomeExits } from "../output/exit-of.ts";
import { style } from "../output/style.ts";
import { counted, printable, table } from "../output/table.ts";

/** Exit 0: done; 2: refused; 3: a person has to act first. */
export function rollbackCommand(
  level: RolledBack["level"],
  name: string,
  options: RepositoryOptions & { readonly allowRed?: boolean },
): Promise<number> {
  return inRepository("rollback", options, async (context) => {
    const meant = level === "task" ? (await findOnlyTask(context.engine, name)).key : name;
    const done = await rollBack({ ...context, allowRed: options.allowRed === true }, { level, name: meant });
    const refusals = done.refused === null ? [] : [{ refused: done.refused }];
    return { exit: outcomeExits[done.outcome], text: rollbackText(done), refusals, document: done };
  });
}

function rollbackText(done: RolledBack): string {
  const { level, name, base, outcome } = done;
  const words = {
    "rolled-back": `${style.green("rolled back")} ${level} ${printable(name)}: ${base} is at ${done.to.slice(0, 12)}`,
    planned: `would roll back ${level} ${printable(name)}; nothing was changed`,
    nothing: `${level} ${printable(name)} has nothing left to roll back`,
    refused: `${style.red("refused")} to roll back ${level} ${printable(name)}`,
    waiting: `${style.red("waiting")} for a person: ${level} ${printable(name)}`,
  } as const;
  const parts = [
    `${words[outcome]}\n`,
    done.reverted.length === 0
      ? ""
      : table(
          ["TASK", "MERGE", "REVERTED BY", "FILES"],
          done.reverted.map(({ task, commit, reverted_by, files }) => [
            task,
            commit.slice(0, 12),
            outcome === "planned" ? "-" : reverted_by.slice(0, 12),
            files.length <= 3 ? files.join(", ") : counted(files.length, "file"),
          ]),
        ),
    lines("ended", done.ended),
    lines("these tasks now wait", done.blocked),
    lines(
      "ran in parallel although one depends on the other",
      done.hidden.map(
        ({ task, needs, path, uses }) => `${task}: ${path} uses ${uses}, which ${needs} changed`,
      ),
    ),
    lines("run again, one after the other", done.again),
    lines(
      "files restored",
      done.restored.map(
        ({ task, paths, left, way_back }) =>
          `${task}: ${counted(paths.length, "file")}${left.length > 0 ? ` (not restored: ${left.join(", ")})` : ""}; undo with ${way_back}`,
      ),
    ),
    lines("recommended", done.report?.recommended ?? []),
    done.report === null && outcome !== "planned" ? lines("to undo this rollback", done.way_back) : "",
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function lines(title: string, found: readonly string[]): string {
  return found.length === 0 ? "" : `${title}:\n${found.map((line) => `  ${printable(line)}\n`).join("")}`;
}
