export type Key =
  | "up"
  | "down"
  | "log"
  | "diff"
  | "stop"
  | "take"
  | "answer"
  | "back"
  | "leave"
  | "interrupt";

/** What the view shows, and which key waits for a second press. */
export interface Looking {
  readonly selected: string | null;
  readonly page: "tasks" | "log";
  /** Keys that end an agent's work, or the run, have to be pressed twice. */
  readonly asked: "stop" | "take" | "leave" | null;
}

export type KeyRequest =
  | { readonly do: "diff" | "stop" | "take" | "ask-stop" | "ask-take"; readonly task: string }
  | { readonly do: "interrupt" | "answer" | "ask-leave" };

export const lookingAtTasks: Looking = { selected: null, page: "tasks", asked: null };

const meanings: Readonly<Record<string, Key>> = {
  "\u001b[A": "up",
  "\u001bOA": "up",
  k: "up",
  "\u001b[B": "down",
  "\u001bOB": "down",
  j: "down",
  l: "log",
  d: "diff",
  s: "stop",
  t: "take",
  a: "answer",
  "\u001b": "back",
  q: "leave",
  "\u0003": "interrupt",
};

/** The keys in a chunk of a terminal in raw mode; unknown ones are dropped. */
export function readKeys(chunk: string): readonly Key[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys such as the arrows begin with one
  const pressed = chunk.match(/\u001b[[O][\d;]*[A-Za-z~]|[\s\S]/g) ?? [];
  return pressed.flatMap((one) => meanings[one] ?? []);
}

/** The view after a key, and what the run has to do. `order`: the tasks from top to bottom. */
export function pressKey(
  looking: Looking,
  key: Key,
  order: readonly string[],
): { readonly looking: Looking; readonly request?: KeyRequest } {
  const calm: Looking = { ...looking, asked: null };
  const isBack = key === "back" || (key === "leave" && looking.page === "log");
  if (isBack) return { looking: { ...calm, page: "tasks" } };
  if (key === "interrupt" || (key === "leave" && looking.asked === key))
    return { looking: calm, request: { do: "interrupt" } };
  if (key === "leave") return { looking: { ...calm, asked: key }, request: { do: "ask-leave" } };
  if (key === "answer") return { looking: calm, request: { do: "answer" } };
  if (key === "up" || key === "down") return { looking: { ...calm, selected: step(looking, key, order) } };
  const task = looking.selected ?? order[0];
  if (task === undefined) return { looking: calm };
  const at: Looking = { ...calm, selected: task };
  if (key === "log") return { looking: { ...at, page: looking.page === "log" ? "tasks" : "log" } };
  if (key === "diff") return { looking: at, request: { do: "diff", task } };
  if (looking.asked === key) return { looking: at, request: { do: key, task } };
  return { looking: { ...at, asked: key }, request: { do: `ask-${key}`, task } };
}

function step({ selected }: Looking, key: "up" | "down", order: readonly string[]): string | null {
  if (order.length === 0) return null;
  const at = selected === null ? -1 : order.indexOf(selected);
  const next = at === -1 ? 0 : at + (key === "down" ? 1 : -1);
  return order[Math.min(Math.max(next, 0), order.length - 1)] ?? null;
}
