import { describe, expect, it } from "vitest";
import { clientRepository, fileTask, report } from "./support/client-repository.ts";
import { installClient } from "./support/install-client.ts";
import { triedClients } from "./support/tried-clients.ts";

/** OpenCode reports the usage of an answer only after the answer's tools, on its stream and on disk. */
const tellsEarly = triedClients.filter(({ name }) => name !== "opencode");

describe.each(tellsEarly)("a run with $name", (client) => {
  it("ends at its token limit during a command, and the usage is recorded", async () => {
    const { bin, missing } = await installClient(client.name, ...client.pack);
    if (missing !== undefined) return;
    await using server = await client.standIn([
      { calls: [client.shell("tail -f /dev/null")], usage: { input: 100, cached: 0, output: 6000 } },
      { text: report() },
    ]);
    const { model } = client;
    using repository = clientRepository({
      agentConfig: `{ adapter: ${client.name}, role: Coder${model === undefined ? "" : `, model: ${model}`} }`,
      ...{ tasks: [fileTask("A")], env: client.env(server.url), bin },
      config: "limits: { tokens: { warn: 3000, halt: 5000 } }\n",
    });
    for (const [file, text] of Object.entries(client.files(server.url))) repository.home.write(file, text);
    const { done, stderr } = await repository.run();
    expect(done.tasks, stderr).toMatchObject([{ code: "R-BG-001", attempts: 1, usage: { output: 6000 } }]);
    expect(server.prompts()).toHaveLength(1);
  });
});
