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

/** Where the person is in the view. */
export interface Looking {
  readonly selected: string | null;
  readonly page: "tasks" | "log";
  /** A key that ends somebody's work counts when it is pressed twice. */
  readonly asked: "stop" | "take" | null;
}

export type Wish =
  | { readonly do: "diff" | "stop" | "take" | "ask-stop" | "ask-take"; readonly task: string }
  | { readonly do: "interrupt" | "answer" };

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

/** What came from a terminal in raw mode; what means nothing here is left out. */
export function readKeys(chunk: string): readonly Key[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys such as the arrows begin with one
  const pressed = chunk.match(/\u001b[[O][\d;]*[A-Za-z~]|[\s\S]/g) ?? [];
  return pressed.flatMap((one) => meanings[one] ?? []);
}

/** Where that leads; `order`: the tasks from top to bottom. */
export function pressKey(
  looking: Looking,
  key: Key,
  order: readonly string[],
): { readonly looking: Looking; readonly wish?: Wish } {
  const calm: Looking = { ...looking, asked: null };
  const isBack = key === "back" || (key === "leave" && looking.page === "log");
  if (isBack) return { looking: { ...calm, page: "tasks" } };
  if (key === "interrupt" || key === "leave") return { looking: calm, wish: { do: "interrupt" } };
  if (key === "answer") return { looking: calm, wish: { do: "answer" } };
  if (key === "up" || key === "down") return { looking: { ...calm, selected: step(looking, key, order) } };
  const task = looking.selected ?? order[0];
  if (task === undefined) return { looking: calm };
  const at: Looking = { ...calm, selected: task };
  if (key === "log") return { looking: { ...at, page: looking.page === "log" ? "tasks" : "log" } };
  if (key === "diff") return { looking: at, wish: { do: "diff", task } };
  if (looking.asked === key) return { looking: at, wish: { do: key, task } };
  return { looking: { ...at, asked: key }, wish: { do: `ask-${key}`, task } };
}

function step({ selected }: Looking, key: "up" | "down", order: readonly string[]): string | null {
  if (order.length === 0) return null;
  const at = selected === null ? -1 : order.indexOf(selected);
  const next = at === -1 ? 0 : at + (key === "down" ? 1 : -1);
  return order[Math.min(Math.max(next, 0), order.length - 1)] ?? null;
}
