/** Proves commands in another process: `node proving-process.ts OPTIONS LEDGER COMMIT COMMAND …`. */
import { ledgerReuse } from "../../src/engine/landing/reuse-evidence.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { Prover } from "../../src/proof/prover.ts";
import { machineClock } from "../../src/workspace/process/machine-clock.ts";

const [, , options = "{}", folder = "", commit = "", ...commands] = process.argv;
const ledger = await openSqliteLedger({ folder, create: true });
const reuse = ledgerReuse({ ledger, clock: machineClock() });
using prover = await Prover.open({ ...JSON.parse(options), reuse });
for (const command of commands)
  process.stdout.write(`${JSON.stringify(await prover.run(commit, command))}\n`);
ledger.close();
