import type { Answer, NeedItem, Needs, Subject } from "../../contract/board.ts";
import { isMeta, sessionOfKey } from "../../core/names/task-name.ts";
import { outputOf } from "../../core/proof/check-record.ts";
import { gateOf } from "../../core/session/gate-ids.ts";
import { isStringList } from "../../core/values/fields.ts";
import { decisionName } from "../../engine/decisions/decision-ids.ts";
import { openDecisions } from "../../engine/decisions/open-decisions.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import type { Decision } from "../../ledger/ledger.ts";
import { answersTo, decideCommands, needsPerson, questionText } from "../../view/needs-person.ts";
import { actionsFor } from "./actions.ts";
import { cut, fitting } from "./bounded.ts";
import type { BoardPlace, Look } from "./look.ts";
import { isShown } from "./overview.ts";

const textMax = 4000;
const findingsMax = 30;

/** Open decisions, then tasks and landings that wait for a person, in the order of the terminal. */
export async function needs({ engine }: BoardPlace, look: Look): Promise<Needs> {
  const { names, status, byKey } = look;
  const pending = (await openDecisions(engine)).toSorted((one, other) =>
    one.askedAt < other.askedAt ? -1 : 1,
  );
  const tasks = status.tasks.filter(isShown);
  const waiting = needsPerson([], tasks, names.of);
  const asked = new Set(pending.filter(({ kind }) => kind === "continue").map(({ task }) => task));
  const byName = new Map(tasks.map((task) => [names.of(task.key), task]));
  const items: NeedItem[] = [
    ...pending.map((one) => decisionItem(one, pending, look)),
    ...waiting.flatMap(({ name, text, commands }) => {
      const task = byName.get(name);
      return task === undefined || asked.has(task.key) ? [] : [taskItem(task, { name, text, commands })];
    }),
    ...status.landings.map(({ branch, code, reason, at }): NeedItem => {
      const text = cut(`cannot land yet, ${code}: ${reason}`, textMax);
      const commands = [`lockstep land ${branch}`];
      return {
        ...empty,
        id: branch,
        of: "landing",
        kind: "landing",
        name: branch,
        about: branch,
        at,
        text,
        commands,
      };
    }),
  ];
  return { items: fitting(items), total: items.length };

  function taskItem(
    task: TaskStatus,
    { name, text, commands }: { name: string; text: string; commands: readonly string[] },
  ): NeedItem {
    const { key, title, code, reason, started_at: at, evidence } = task;
    const failing = evidence.flatMap((one) =>
      "after" in one && one.outcome !== "pass" ? [outputOf(one.after)] : [],
    );
    const output = [...(reason?.includes("\n") ? [reason] : []), ...failing].join("\n\n");
    return {
      ...{
        ...empty,
        id: key,
        of: "task",
        kind: task.waits.flatMap((wait) => (wait.on === "person" ? wait.why : []))[0] ?? "task",
      },
      ...{ name, task: key, about: title ?? key, at, commands, text: cut(text || (code ?? ""), textMax) },
      subjects: [
        ...(output === "" ? [] : [{ kind: "output", text: cut(output, textMax) } as const]),
        ...(byKey.get(key)?.attempts ? [{ kind: "diff", task: key } as const] : []),
      ],
      actions: actionsFor(task, name),
    };
  }
}

const empty = {
  task: null,
  at: null,
  findings: [],
  answers: [],
  subjects: [],
  actions: [],
  commands: [],
} as const;

function decisionItem(one: Decision, pending: readonly Decision[], { names, byKey }: Look): NeedItem {
  const { id, kind, task, askedAt: at, data } = one;
  const known = byKey.get(task);
  const findings = (data?.findings ?? []).slice(0, findingsMax).map((line) => cut(line, 600));
  return {
    ...{ id, of: "decision", kind, at, findings },
    name: decisionName(pending, id),
    task: known === undefined ? null : task,
    about: isMeta(task) ? (sessionOfKey(task) ?? "") : (known?.title ?? names.of(task)),
    text: cut(questionText(one, names.of), textMax),
    answers: answerForms(one),
    subjects: subjectsOf(one, known),
    actions: [],
    commands: decideCommands(one, pending),
  };
}

/** The buttons of a decision. `accept: …` alone means that a text is required, next to `accept` that it is possible. */
export function answerForms({ id, kind, options, data }: Decision): readonly Answer[] {
  const forms = new Map<string, Answer["text"]>();
  for (const answer of answersTo({ kind, options })) {
    const [, word = "", rest] = /^(.*?)(: …)?$/s.exec(answer) ?? [];
    if (answer === "…") forms.set("answer", "required");
    else if (rest === undefined) forms.set(word, forms.get(word) ?? "none");
    else forms.set(word, forms.has(word) ? "optional" : "required");
  }
  if (gateOf(id) === "APPROVE_DESIGN") {
    forms.clear();
    forms.set("approved", "none").set("changes-requested", "required");
  }
  if ((kind === "manual" || kind === "security") && forms.has("refused")) forms.set("refused", "optional");
  if (kind === "weakened" && forms.has("refuse")) forms.set("refuse", "optional");
  return [...forms].map(([word, text]) => ({ word, text, recommended: word === data?.recommended }));
}

function subjectsOf({ kind, task, data }: Decision, known: TaskStatus | undefined): readonly Subject[] {
  const { documents = [], before = [], paths, why = "", commit } = data ?? {};
  return [
    ...(isStringList(paths)
      ? [{ kind: "paths", paths: paths.slice(0, 50), why: cut(why, 600) } as const]
      : []),
    ...(documents.length === 0
      ? []
      : [
          {
            kind: "documents",
            files: documents.map(({ file }) => file),
            hasChanges: before.length > 0,
          } as const,
        ]),
    ...(known !== undefined &&
    known.attempts > 0 &&
    (commit != null || kind === "continue" || kind === "widen")
      ? [{ kind: "diff", task } as const]
      : []),
  ];
}
