import { dirname, join } from "node:path";
import type { AgentClient } from "../../clients/agent.ts";
import type { Config } from "../../contract/config.ts";
import type { Checkout } from "../../workspace/checkouts/checkout.ts";
import { AgentHome } from "../../workspace/client-home/agent-home.ts";
import type { ClientHome, ConversationExport } from "../../workspace/client-home/client-home.ts";
import { replaceFile } from "../../workspace/files/replace-file.ts";
import { type ProcessRun, runProcess } from "../../workspace/process/run-process.ts";
import { chooseSandbox } from "../../workspace/sandbox/choose-sandbox.ts";
import { openClientPlace, passedOn } from "../attempt/client-place.ts";

const msMax = 60_000;
const bytesMax = 256 * 1024 * 1024;

export interface GivenBack {
  readonly client: AgentClient & { readonly home: ClientHome };
  readonly config: Config;
  readonly checkout: Checkout;
  readonly root: string;
  readonly conversation: string;
  /** What the configuration adds to the agent's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Puts an agent's conversation where the person's own client finds it; says why that cannot be done. */
export async function giveBackConversation(given: GivenBack): Promise<string | undefined> {
  const { client, checkout, conversation: id } = given;
  const home = new AgentHome(dirname(checkout.folder), client.home);
  if (!home.exists) return undefined; // there was no sandbox: the client wrote to the person's own home
  home.exchangeLogins();
  const { conversation } = client.home;
  if ("file" in conversation) return home.giveBack({ id, checkout: checkout.folder });
  return throughFile(given, conversation);
}

/** The client that reads what an agent wrote is in the sandbox; the one outside gets what was looked at. */
async function throughFile(given: GivenBack, exported: ConversationExport): Promise<string | undefined> {
  const { client, config, checkout, root, conversation: id } = given;
  const chosen = await chooseSandbox(config.sandbox);
  if ("error" in chosen || !chosen.sandbox.enforces)
    return "reading it needs the sandbox in which it was held";
  const { sandbox } = chosen;
  const { wrap } = openClientPlace({
    ...{ sandbox, client, checkout, root, opened: config.workspace.home, readOnly: [] },
  });
  const own = { ...given.env, ...exported.env };
  const passed = { ...passedOn([...config.workspace.env_pass, ...client.passes]), ...own };
  const cwd = checkout.folder;
  const printed = await printedBy({ ...wrap(exported.print(id), passed), cwd, msMax });
  const document = exported.cleaned(parsed(printed), { id, checkout: checkout.folder });
  if (document === undefined) return "its client did not print this conversation";
  const file = join(dirname(checkout.folder), "conversation.json");
  replaceFile(file, JSON.stringify(document), { durable: true });
  const env = { ...passedOn(Object.keys(process.env)), ...own };
  const { exit, tail } = await runProcess({ command: exported.take(file), cwd, env, msMax });
  return exit === 0 ? undefined : `its client does not take it in: ${tail.trim()}`;
}

/** What it says on stdout; nothing where that is too long or it fails. */
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
