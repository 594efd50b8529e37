import { deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import { shellWord } from "../../core/text/quoted.ts";
import type { Call } from "../../engine/change/engine.ts";
import { handBack } from "../../run/conduct/task/hand-back.ts";
import { stopForPerson, takeForPerson } from "../../run/conduct/task/hand-over.ts";
import { readRepository } from "../../workspace/git/repository-state.ts";
import type { AskOptions } from "../open/ask.ts";
import { callOf } from "../open/caller.ts";
import { findOnlyTask, findTask } from "../open/find-task.ts";
import { type Opened, openEngine } from "../open/open-engine.ts";
import { whoCalls } from "../open/who-calls.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { printable } from "../output/table.ts";
import { tellVerdict } from "../output/verdicts.ts";

interface TakeOverOptions extends AskOptions {
  readonly json?: boolean;
}

/** Ends an attempt and keeps its work. */
export function stopCommand(name: string, { json, ...options }: TakeOverOptions): Promise<0 | 2> {
  const text = () => {
    const ways = `\`lockstep diff ${name}\` shows it, \`lockstep task retry ${name}\` starts it again`;
    return `task ${name} is stopped, and its work is kept: ${ways}`;
  };
  return tellVerdict({ json, text }, () =>
    onAttempt(name, options, ({ opened, task, call }) => stopForPerson({ place: opened, task, name, call })),
  );
}

/** Hands an attempt over to the person who calls. */
export function takeCommand(name: string, { json, ...options }: TakeOverOptions): Promise<0 | 2> {
  const text = ({ details }: Verdict) => {
    const resume = details?.resume as readonly string[] | undefined;
    const unresumed = details?.not_resumed;
    const submit = `lockstep submit ${name}`;
    const release = `lockstep release ${String(details?.task_id)}`;
    return [
      `task ${name} is yours: its agent is stopped, and its locks stay until you hand it back`,
      `  cd ${shellWord(String(details?.folder))}`,
      ...(resume === undefined
        ? []
        : [`  ${resume.map(shellWord).join(" ")}    continues the agent's conversation`]),
      ...(unresumed === undefined
        ? []
        : [`its agent's conversation cannot be resumed: ${printable(String(unresumed))}`]),
      `then, in ${printable(String(details?.root))}`,
      `  ${submit.padEnd(release.length)}  hands it back: \`lockstep run\` verifies and merges it`,
      `  ${release}  gives it up: an agent starts over`,
    ].join("\n");
  };
  return tellVerdict({ json, text }, () =>
    onAttempt(name, options, ({ opened, task, call }) => takeForPerson({ place: opened, task, name, call })),
  );
}

/** `lockstep submit` without a document. */
export function handBackTask(name: string, options: AskOptions): Promise<Verdict> {
  return onTask(name, options, async ({ opened, task, call }) => {
    if (call.role !== "person")
      return deny(
        "R-AU-001",
        "no document was given, and only a person can hand back a task that a person took over",
      );
    const { engine, project, config } = opened;
    const repository = await readRepository(project, config);
    if ("error" in repository) throw new CommandFault("R-IN-001", repository.error);
    const told = (text: string) => writeAll(2, `lockstep: ${printable(text)}\n`);
    const onSaid = (_task: string, event: object) => "text" in event && told(String(event.text));
    return handBack({ engine, repository, config, call, onTask: onSaid }, task.key);
  });
}

interface Asked {
  readonly opened: Opened;
  readonly task: Task;
  readonly call: Call;
}

type Act = (asked: Asked) => Promise<Verdict>;

function onTask(name: string, options: AskOptions, act: Act): Promise<Verdict> {
  return onFound(({ engine }) => findTask(engine, name), options, act);
}

/** Of several tasks of that name, the only one in progress. */
function onAttempt(name: string, options: AskOptions, act: Act): Promise<Verdict> {
  const isAtWork = ({ state }: Task) => state === "IN_PROGRESS";
  return onFound(({ engine }) => findOnlyTask(engine, name, isAtWork), options, act);
}

async function onFound(
  find: (opened: Opened) => Promise<Task>,
  options: AskOptions,
  act: Act,
): Promise<Verdict> {
  using opened = await openEngine({ onFaults: "warn" });
  const task = await find(opened);
  const call = await callOf(await whoCalls(), opened.engine, { ...options, task: task.key });
  return "allow" in call ? call : await act({ opened, task, call });
}
