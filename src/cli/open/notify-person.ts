import { printable } from "../../core/text/printable.ts";
import type { Change, Decision, Ledger } from "../../ledger/ledger.ts";
import { runProcess } from "../../workspace/process/run-process.ts";
import { writeAll } from "../output/descriptor.ts";

interface NotifyOptions {
  /** `notify.command`; null if not set. */
  readonly command: readonly string[] | null;
  readonly cwd: string;
  readonly json: boolean;
  readonly commandMsMax?: number;
  /** Prints a failure (default: to stderr). */
  say?(line: string): void;
}

/** Notifies the person of new decisions. Disposing waits for the commands that it started. */
interface Notifier extends AsyncDisposable {
  tell(decision: Decision): void;
}

const textLengthMax = 200;

/** Notifies with the terminal's bell and a notification (OSC 9), and with `notify.command` if it is set. */
export function openNotifier({
  command,
  cwd,
  json,
  commandMsMax: msMax = 10_000,
  say = sayOnStderr,
}: NotifyOptions): Notifier {
  const rings = process.stderr.isTTY === true && !process.env.CI && process.env.TERM !== "dumb" && !json;
  const running = new Set<Promise<void>>();
  let failure: string | undefined;
  return {
    tell(decision) {
      if (rings) writeAll(2, `\u0007\u001b]9;${textOf(decision)}\u0007`);
      if (command === null) return;
      const run = runCommand(decision, { command, cwd, msMax })
        .catch((error: unknown) => `\`notify.command\` failed: ${String(error)}`)
        .then((failed) => {
          failure ??= failed;
          running.delete(run);
        });
      running.add(run);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(running);
      if (failure !== undefined) say(printable(failure));
    },
  };
}

function sayOnStderr(line: string): void {
  writeAll(2, `lockstep: ${line}\n`);
}

/** Calls `tell` for every new decision that this process commits from now on. */
export function hearDecisions(ledger: Ledger, tell: (decision: Decision) => void): void {
  const commit = ledger.commit.bind(ledger);
  Object.assign(ledger, {
    commit: async (change: Change) => {
      const asked = change.events?.some(({ type }) => type === "decision.asked") === true;
      const before = asked ? await ledger.decisions({ state: "pending" }) : [];
      const committed = await commit(change);
      if (!asked || !("ok" in committed)) return committed;
      const known = new Set(before.map(({ id }) => id));
      for (const decision of change.decisions ?? [])
        if (decision.state === "pending" && !known.has(decision.id)) tell(decision);
      return committed;
    },
  });
}

/** One line without control characters. */
function textOf({ id, question }: Decision): string {
  const text = printable(`Lockstep: ${id}: ${question}`).replace(/\s+/g, " ");
  return text.length <= textLengthMax ? text : `${text.slice(0, textLengthMax - 1)}…`;
}

/** Undefined, or why the notification failed. */
async function runCommand(
  decision: Decision,
  {
    command,
    cwd,
    msMax,
  }: { readonly command: readonly string[]; readonly cwd: string; readonly msMax: number },
): Promise<string | undefined> {
  const { id, kind, task, question, options, askedAt } = decision;
  const document = { id, kind, task, question, options, asked_at: askedAt };
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  // Not LOCKSTEP_TASK: that would make the command an agent, which may not answer.
  const env = {
    ...Object.fromEntries(own),
    LOCKSTEP_DECISION: id,
    LOCKSTEP_DECISION_KIND: kind,
    LOCKSTEP_DECISION_TASK: task,
    LOCKSTEP_DECISION_TEXT: textOf(decision),
  };
  const input = `${JSON.stringify(document)}\n`;
  const { exit, timedOut, tail } = await runProcess({ command, cwd, env, input, msMax });
  if (exit === 0) return undefined;
  const [last = ""] = tail.trim().split("\n").slice(-1);
  const how = timedOut ? `timeout after ${msMax / 1000} s` : `exit ${exit ?? "none"}`;
  return `\`notify.command\` failed (${how})${last === "" ? "" : `: ${last}`}; \`lockstep decide\` lists what waits`;
}
