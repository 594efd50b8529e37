/** A host for the project in whose folder it is started, until SIGTERM; prints the path of its socket. */
import { once } from "node:events";
import { openEngine } from "../../src/cli/open/open-engine.ts";
import { HostRunning, openHost } from "../../src/server/host.ts";
import { openStateFolder } from "../../src/workspace/state/state-folder.ts";

const stopped = once(process, "SIGTERM");
using opened = await openEngine({ create: true });
try {
  await using host = await openHost(opened.engine, openStateFolder(opened.project));
  console.log(host.socket);
  await stopped;
} catch (error) {
  if (!(error instanceof HostRunning)) throw error;
  console.log(error.message);
  process.exitCode = 3;
}
