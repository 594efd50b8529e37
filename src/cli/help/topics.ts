import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installFolder } from "../../workspace/process/install-folder.ts";

/** The topics of `lockstep help TOPIC`; their texts are docs/topics/TOPIC.md. */
export const topics = {
  scopes: "how paths and globs say what a task may change",
  plans: "how to write tasks.yaml",
  isolation: "what keeps an agent inside its lock",
  "exit-codes": "what 0, 1, 2 and 3 mean",
  environment: "the variables that Lockstep reads and sets",
} as const;

export type TopicName = keyof typeof topics;

export function topicText(name: TopicName): string {
  return readFileSync(join(installFolder(), "docs", "topics", `${name}.md`), "utf8");
}
