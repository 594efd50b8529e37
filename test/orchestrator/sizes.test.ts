import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { orchestratorFolders } from "../../src/guard/orchestrator/folders.ts";
import { OrchestratorLayers } from "../../src/guard/orchestrator/layers.ts";
import { nodeDisk } from "../../src/workspace/files/disk.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import {
  callOf,
  nothing,
  reading,
  searching,
  shell,
  spawning,
  writing,
} from "../support/orchestrator-ground.ts";
import { temporaryRepository } from "../support/run-command.ts";

const kilobyte = 1000;
const rounds = 60;

it("one hour of an orchestrator leaves a state below 10 KB, a report below 5 KB and a log below 50 KB", async () => {
  using repository = temporaryRepository();
  const project = findProject(repository.path);
  const folders = orchestratorFolders(project, null);
  const options = { folders, place: project.place, disk: nodeDisk(), scratch: ["/tmp"], coordination: [] };
  const layers = new OrchestratorLayers({ ...options, now: () => new Date() });
  let calls = 0;
  /** As long as Claude's ids; the two events of a call have the same id. */
  const callId = (event: "before-tool" | "after-tool") => {
    if (event === "before-tool") calls += 1;
    return `toolu_${String(calls).padStart(24, "0")}`;
  };
  const call = (tool: string, operation: Parameters<typeof callOf>[1], event: "before-tool" | "after-tool") =>
    layers.judge(callOf(tool, operation, { event, callId: callId(event), folder: repository.path }));
  for (let round = 0; round < rounds; round += 1) {
    await call("Read", reading(`src/part-${round}.ts`), "before-tool");
    await call("Read", reading(`src/part-${round}.ts`), "after-tool");
    await call("Agent", spawning, "before-tool");
    await call("Agent", spawning, "after-tool");
  }
  await call("Write", writing(), "before-tool");
  await call("Grep", searching("Grep"), "before-tool");
  await call("Bash", shell("git status"), "before-tool");
  const sizes = (folder: string) =>
    readdirSync(folder).map((name) => ({ name, bytes: statSync(join(folder, name)).size }));
  const tooBig = (folder: string, bytesMax: number) => sizes(folder).filter(({ bytes }) => bytes > bytesMax);
  expect(sizes(folders.tmp)).not.toEqual([]);
  expect(tooBig(folders.tmp, 10 * kilobyte)).toEqual([]);
  await layers.judge(callOf("", nothing, { event: "compact", folder: repository.path }));
  expect(sizes(folders.reports)).toHaveLength(1);
  expect(tooBig(folders.reports, 5 * kilobyte)).toEqual([]);
  expect(sizes(folders.logs)).not.toEqual([]);
  expect(tooBig(folders.logs, 50 * kilobyte)).toEqual([]);
});
