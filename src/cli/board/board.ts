import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { linkMsMax, mintLink } from "../../board/access/links.ts";
import { boardNonce } from "../../board/serve/board-server.ts";
import { field } from "../../core/values/fields.ts";
import { listeningAt } from "../../guard/transport/ask-server.ts";
import { startServer } from "../../guard/transport/start-server.ts";
import { readHostRecord } from "../../server/host-record.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { installFolder } from "../../workspace/process/install-folder.ts";
import { isAlive } from "../../workspace/process/process-identity.ts";
import { openHttpAccess } from "../../workspace/state/http-access.ts";
import { ledgerName, ledgerUrl } from "../../workspace/state/ledger-url.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { needPlace } from "../open/need-place.ts";
import { readConfig } from "../open/open-engine.ts";
import { askBoard } from "../open/socket-client.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { faultVerdict, tellRefusal } from "../output/verdicts.ts";

interface BoardOptions {
  readonly port?: string;
  readonly open?: boolean;
  readonly json?: boolean;
}

const startMsMax = 10_000;
const pauseMs = 25;

/** `lockstep board`: opens the board in the browser, or prints the link. Only a person can call it. */
export async function boardCommand({ port, open = true, json }: BoardOptions): Promise<number> {
  try {
    await needPlace();
    const project = findProject(currentFolder());
    const folder = openStateFolder(project);
    const wanted = port === undefined ? undefined : readPort(port);
    const ledger = ledgerName(ledgerUrl(await readConfig(project)));
    const found = await boardOf(folder, project.place.root, { wanted, ledger });
    await checkProof(folder, found);
    // An agent has no terminal: a page that it might get opened is read-only.
    const may = process.stdin.isTTY === true ? "act" : "look";
    const address = `http://127.0.0.1:${found}`;
    const link = `${address}/#${mintLink(folder, may)}`;
    const isShown = open && json !== true && (await showInBrowser(link));
    const text = isShown
      ? `the board is open in your browser: ${address}\n`
      : `${link}\nthis link opens the board once, within ${linkMsMax / 1000} seconds\n`;
    const look = may === "look" ? "without a terminal the page is read-only\n" : "";
    writeAll(1, json === true ? `${JSON.stringify({ address, link, may }, null, 2)}\n` : `${text}${look}`);
    return 0;
  } catch (error) {
    return tellRefusal(faultVerdict(error), json);
  }
}

/** The port of the board in the warm process, which is started if it does not run. */
async function boardOf(
  folder: string,
  root: string,
  { wanted, ledger }: { readonly wanted: number | undefined; readonly ledger: string | null },
): Promise<number> {
  const deadline = performance.now() + startMsMax;
  for (let started = false; ; ) {
    const server = readHostRecord(folder, "serve");
    const socket = server !== undefined && isAlive(server) ? listeningAt(folder) : undefined;
    const answer = socket === undefined ? undefined : await askBoard(socket, wanted);
    const port = field(answer, "port");
    if (typeof port === "number" && field(answer, "allow") === undefined) {
      if ((field(answer, "ledger") ?? null) === ledger) return port;
      throw new CommandFault(
        "R-ST-001",
        `the server at work uses another ledger than this shell: end it with \`kill ${server?.pid}\`, then try again`,
      );
    }
    if (field(answer, "allow") === false && field(answer, "code") !== "E-STORE")
      throw new CommandFault("R-ST-001", String(field(answer, "reason")));
    if (performance.now() > deadline)
      throw new CommandFault(
        "E-STORE",
        `the server does not answer: \`lockstep serve\` shows why, then try again`,
      );
    const program = join(installFolder(), "bin", "lockstep.cjs");
    if (!started) startServer({ folder, root, program, isNeeded: () => true });
    started = true;
    await sleep(pauseMs);
  }
}

/** Another program could have taken the port after the server ended: the link must not go there. */
async function checkProof(folder: string, port: number): Promise<void> {
  const access = await openHttpAccess(folder);
  const nonce = randomBytes(24).toString("base64url");
  const response = await fetch(`http://127.0.0.1:${port}/api/proof?nonce=${nonce}`).catch(() => undefined);
  const answer: unknown = await response?.json().catch(() => undefined);
  if (field(answer, "proof") !== access.proofOf(boardNonce(`127.0.0.1:${port}`, nonce)))
    throw new CommandFault(
      "R-ST-001",
      `the program at 127.0.0.1:${port} is not this repository's board: end it, then try again`,
    );
}

/** False if there is no browser to open, as on another machine. */
function showInBrowser(link: string): Promise<boolean> {
  const { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = process.env;
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  if (SSH_CONNECTION || (program === "xdg-open" && !DISPLAY && !WAYLAND_DISPLAY))
    return Promise.resolve(false);
  const browser = spawn(program, [link], { stdio: "ignore", detached: true });
  browser.unref();
  return new Promise((resolve) => {
    browser.once("error", () => resolve(false));
    browser.once("spawn", () => resolve(true));
  });
}

export function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new CommandFault("R-IN-001", `\`${text}\` is not a port: give a number from 1 to 65535`);
}
