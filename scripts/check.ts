import { spawn } from "node:child_process";

/**
 * The checks of CI. Steps that only read the code run in parallel with the build; the tests start after all of them
 * have passed.
 */
const first = [
  "tsc",
  "tsc -p src/page",
  "npm run --silent lint",
  "node scripts/gen.ts --check",
  "knip",
  "node scripts/build.ts",
];

const isGreen = await Promise.all(first.map((line) => run(line)));
process.exitCode = isGreen.every(Boolean) && (await run("node scripts/test.ts", "inherit")) ? 0 : 1;

function run(line: string, output: "pipe" | "inherit" = "pipe"): Promise<boolean> {
  const child = spawn(line, { shell: true, stdio: ["ignore", output, output] });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes: Buffer) => said.push(bytes));
  return new Promise((resolve) =>
    child.on("close", (status) => {
      // Written in one piece, so that the steps do not mix their lines.
      process.stdout.write(Buffer.concat(said));
      if (status !== 0) console.error(`\`${line}\` failed`);
      resolve(status === 0);
    }),
  );
}
