import { dirname, join } from "node:path";
import type { AgentClient } from "../../../clients/agent.ts";
import type { Config } from "../../../contract/config.ts";
import type { Checkout } from "../../../workspace/checkouts/checkout.ts";
import { AgentHome } from "../../../workspace/client-home/agent-home.ts";
import type { ClientHome, ConversationExport } from "../../../workspace/client-home/client-home.ts";
import { replaceFile } from "../../../workspace/files/replace-file.ts";
import { type ProcessRun, runProcess } from "../../../workspace/process/run-process.ts";
import { chooseSandbox } from "../../../workspace/sandbox/choose-sandbox.ts";
import { openClientPlace, passedOn } from "../../attempt/client-place.ts";

const msMax = 60_000;
const bytesMax = 256 * 1024 * 1024;

export interface GivenBack {
  readonly client: AgentClient & { readonly home: ClientHome };
  readonly config: Config;
  readonly checkout: Checkout;
  readonly root: string;
  readonly conversation: string;
  /** The variables that the configuration adds to the agent's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Copies an agent's conversation to where the user's own client finds it. Returns why that failed, if it did. */
export async function giveBackConversation(given: GivenBack): Promise<string | undefined> {
  const { client, checkout, conversation: id } = given;
  const home = new AgentHome(dirname(checkout.folder), client.home);
  if (!home.exists) return undefined; // without a sandbox, the client has written to the user's own home
  home.exchangeLogins();
  const { conversation } = client.home;
  if ("file" in conversation) return home.giveBack({ id, checkout: checkout.folder });
  return throughFile(given, conversation);
}

/** The client exports the conversation inside the sandbox; the client outside imports the cleaned document. */
async function throughFile(given: GivenBack, exported: ConversationExport): Promise<string | undefined> {
  const { client, config, checkout, root, conversation: id } = given;
  const chosen = await chooseSandbox(config.sandbox);
  if ("error" in chosen || !chosen.sandbox.enforces)
    return "the conversation can only be read in a sandbox, which is not available";
  const { sandbox } = chosen;
  const { wrap } = openClientPlace({
    ...{ sandbox, client, checkout, root, opened: config.workspace.home, readOnly: [] },
  });
  const own = { ...given.env, ...exported.env };
  const passed = { ...passedOn([...config.workspace.env_pass, ...client.passes]), ...own };
  const cwd = checkout.folder;
  const printed = await printedBy({ ...wrap(exported.print(id), passed), cwd, msMax });
  const document = exported.cleaned(parsed(printed), { id, checkout: checkout.folder });
  if (document === undefined) return "the client did not export this conversation";
  const file = join(dirname(checkout.folder), "conversation.json");
  replaceFile(file, JSON.stringify(document), { durable: true });
  const env = { ...passedOn(Object.keys(process.env)), ...own };
  const { exit, tail } = await runProcess({ command: exported.take(file), cwd, env, msMax });
  return exit === 0 ? undefined : `the client cannot import it: ${tail.trim()}`;
}

/** The program's stdout; empty if it fails or prints too much. */
async function printedBy(run: ProcessRun): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { exit } = await runProcess({
    ...run,
    streams: "apart",
    onOutput: (chunk, from) => {
      if (from === "stdout") bytes += chunk.length;
      if (from === "stdout" && bytes <= bytesMax) chunks.push(chunk);
    },
  });
  return exit === 0 && bytes <= bytesMax ? Buffer.concat(chunks).toString() : "";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
