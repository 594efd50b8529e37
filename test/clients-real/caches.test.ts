import { cacheCases } from "../support/cache-cases.ts";
import { pnpm, yarn } from "../support/package-managers.ts";
import { missing } from "../support/sandboxed.ts";
import { installClient } from "./support/install-client.ts";

const versions = { pnpm: "10.18.0", yarn: "1.22.22" };

for (const manager of [pnpm, yarn]) {
  const { name } = manager;
  const { bin, missing: absent } = await installClient(name, name, versions[name as keyof typeof versions]);
  if (missing === undefined && absent === undefined) cacheCases([manager], [bin]);
}
