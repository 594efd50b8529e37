import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { chooseSandbox } from "../../src/workspace/sandbox/choose-sandbox.ts";
import { missing } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const policy = {
  writable: [],
  readOnly: [],
  hidden: [],
  home: { path: "/", shown: [], writable: [] },
  placed: [],
  temporary: "/private",
  network: false,
};
const linux = (path: string) => ({ platform: "linux" as const, path });

/** A folder with the test's own program `bwrap`. */
function pretender(script: string) {
  const folder = temporaryFolder({ bwrap: `#!/bin/sh\n${script}\n` });
  chmodSync(join(folder.path, "bwrap"), 0o755);
  return folder;
}

async function missingBy(script: string): Promise<string> {
  using folder = pretender(script);
  const found = await chooseSandbox("auto", linux(folder.path));
  return ("missing" in found && found.missing) || "nothing is missing";
}

describe("a missing sandbox", () => {
  it("is an error if it is required, and otherwise reported with the reason", async () => {
    const why = "the program `bwrap` is not on PATH: install the package `bubblewrap`";
    expect(await chooseSandbox("required", linux(""))).toEqual({
      error: `\`sandbox: required\`, but no sandbox is available: ${why}`,
    });
    for (const mode of ["auto", "strict"] as const) {
      const found = await chooseSandbox(mode, linux(""));
      expect(found).toMatchObject({ missing: why, sandbox: { kind: "none", enforces: false } });
    }
  });

  it("is not looked for if it is off", async () => {
    const found = await chooseSandbox("off", linux(""));
    expect(found).toEqual({ sandbox: expect.objectContaining({ kind: "none", enforces: false }) });
  });

  it("is reported as such on macOS", async () => {
    const found = await chooseSandbox("auto", { platform: "darwin", path: process.env.PATH ?? "" });
    expect(found).toMatchObject({
      missing: expect.stringMatching(/on macOS agent processes are not isolated/),
    });
    const required = await chooseSandbox("required", { platform: "darwin", path: "" });
    expect(required).toMatchObject({ error: expect.stringContaining("macOS") });
  });

  it("leaves a command unchanged, except for its temporary folder", async () => {
    const found = await chooseSandbox("off");
    if ("error" in found) throw new Error(found.error);
    expect(found.sandbox.wrap(["a", "b"], policy, { cwd: "/", env: { A: "1" } })).toEqual({
      command: ["a", "b"],
      env: { A: "1", TMPDIR: "/private" },
    });
  });
});

describe("a program `bwrap`", () => {
  it("that isolates nothing is detected", async () => {
    const none = 'while [ "$1" != "--" ]; do shift; done; shift; exec "$@"';
    expect(await missingBy(none)).toMatch(
      /^`.*\/bwrap` does not isolate: a write outside the sandbox succeeded$/,
    );
  });

  it("that runs nothing is detected", async () => {
    expect(await missingBy("exit 0")).toMatch(/cannot build a sandbox here: it printed no error message$/);
  });

  it("that hangs is stopped", { timeout: 30_000 }, async () => {
    expect(await missingBy("exec sleep 60")).toMatch(/cannot build a sandbox here/);
  });

  it("that fails is quoted", async () => {
    expect(await missingBy("echo 'bwrap: Unknown option --as-pid-1' >&2; exit 1")).toMatch(
      /cannot build a sandbox here: bwrap: Unknown option --as-pid-1$/,
    );
  });

  it("is never taken from a relative entry of PATH", async () => {
    using folder = pretender("exit 0");
    const before = process.cwd();
    try {
      process.chdir(folder.path);
      for (const path of [".", "", ":.:"])
        expect(await chooseSandbox("auto", linux(path))).toMatchObject({
          missing: expect.stringContaining("not on PATH"),
        });
    } finally {
      process.chdir(before);
    }
  });

  it.skipIf(missing)("works with temporary files in any place", async () => {
    using folder = pretender('exec bwrap "$@"');
    using memory = temporaryFolder({}, "/dev/shm");
    vi.stubEnv("TMPDIR", memory.path);
    try {
      const found = await chooseSandbox("auto", linux(folder.path));
      expect(found).toEqual({ sandbox: expect.objectContaining({ enforces: true }) });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("is checked once if it works, and again after a failure", async () => {
    using folder = pretender(`echo x >> "$(dirname "$0")/tries"; exit 1`);
    for (let i = 0; i < 2; i += 1) await chooseSandbox("auto", linux(folder.path));
    const tries = () => execFileSync("cat", [join(folder.path, "tries")]).toString().length / 2;
    expect(tries()).toBe(2);
    const real = await chooseSandbox("auto");
    if ("error" in real || !real.sandbox.enforces) return;
    folder.write("bwrap", '#!/bin/sh\necho x >> "$(dirname "$0")/tries"\nexec bwrap "$@"\n');
    await Promise.all([1, 2, 3].map(() => chooseSandbox("auto", linux(folder.path))));
    expect(tries()).toBe(3);
  });
});

/** The choice of a process with fewer rights. */
function chosenUnder(...words: string[]): string {
  const module = new URL("../../src/workspace/sandbox/choose-sandbox.ts", import.meta.url).href;
  const script = `import { chooseSandbox } from "${module}"; console.log(JSON.stringify(await chooseSandbox("auto")))`;
  const [program = "", ...rest] = words;
  const node = [process.execPath, "--no-warnings", "--input-type=module", "-e", script];
  return execFileSync(program, [...rest, ...node], { encoding: "utf8" });
}

const asRoot = process.getuid?.() === 0 && missing === undefined;
if (!asRoot)
  console.warn("\n!!! SKIPPED: a machine that forbids the sandbox: the test needs root and bwrap\n");

describe.skipIf(missing !== undefined)("an available sandbox", () => {
  it.each(["auto", "required", "strict"] as const)("is chosen for `%s`", async (mode) => {
    const found = await chooseSandbox(mode);
    expect(found).toEqual({ sandbox: expect.objectContaining({ kind: "bubblewrap", enforces: true }) });
  });
});

describe.runIf(asRoot)("a machine that forbids the sandbox", () => {
  it("is reported for root without capabilities, as in a container", () => {
    expect(chosenUnder("setpriv", "--bounding-set=-all", "--inh-caps=-all")).toMatch(
      /cannot build a sandbox here: namespaces are refused, as in a container .*Operation not permitted/,
    );
  });

  it("is reported for an ordinary user without user namespaces, with the setting that enables them", () => {
    const off =
      'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --ambient-caps=-all --inh-caps=-all "$@"';
    const words = ["unshare", "-U", "--map-user=1000", "--keep-caps", "sh", "-c", off, "sh"];
    expect(chosenUnder(...words)).toMatch(/user namespaces are off; `sysctl -w user.max_user_namespaces=/);
  });
});
