import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Prover } from "../../src/proof/prover.ts";
import { isHeld } from "../support/held-file.ts";
import { provingGround } from "../support/proving-ground.ts";

describe("a check", () => {
  it("runs on the commit's tree, independent of the working folder", async () => {
    using ground = provingGround();
    ground.write("main/a.txt", "changed\n");
    ground.write("main/b.txt", "untracked\n");
    expect(await ground.check("cat a.txt; ls")).toMatchObject({
      exit: 0,
      tree: ground.git("rev-parse", "HEAD^{tree}"),
      tail: "committed\na.txt\n",
    });
  });

  it("gets the changed files, and has the listed untracked files", async () => {
    using ground = provingGround();
    ground.write("main/.env", "A=1\n");
    ground.write("main/other.env", "B=2\n");
    const { tail } = await ground.check('cat "$LOCKSTEP_CHANGED" .env; ls -A | grep -c other');
    expect(tail).toBe("a.txt\nA=1\n0\n");
  });

  it("gets one path per line, whatever characters the names have", async () => {
    using ground = provingGround();
    using prover = await Prover.open(ground.options);
    const changed = ["a b.txt", "two\nlines.txt", "f\\xff.ts", "é.txt"];
    const command =
      'cat "$LOCKSTEP_CHANGED"; [ "$LOCKSTEP_CHANGED" = "$TMPDIR/lockstep-changed" ] && echo private';
    const proven = await prover.run("HEAD", command, { base: "HEAD", changed });
    const tail = "a b.txt\ntwo\\x0alines.txt\nf\\xff.ts\né.txt\nprivate\n";
    expect(proven).toMatchObject({ run: { tail } });
    expect(existsSync(join(prover.folder, "../tmp"))).toBe(false);
  });

  it("finds no files of the check before it", async () => {
    using ground = provingGround();
    await ground.check("echo junk > junk.txt; echo bad > a.txt; mkdir -p node_modules/x");
    expect((await ground.check("cat a.txt; ls")).tail).toBe("committed\na.txt\n");
  });

  it.each(["exit 3", "kill -9 $$", "nosuchprogram"])(
    "that ends badly (`%s`) does not pass",
    async (command) => {
      using ground = provingGround();
      expect((await ground.check(command)).exit).not.toBe(0);
    },
  );

  it.each(["", " \n"])("that is not a command (%j) is not run, and does not pass", async (command) => {
    using ground = provingGround();
    using prover = await Prover.open(ground.options);
    expect(await prover.run("HEAD", command)).toEqual({ error: "the command is empty" });
  });

  it("that hangs is stopped at its time limit, with its children", async () => {
    using ground = provingGround();
    // A busy machine may need longer than the first limit to start them at all.
    for (let [checkMsMax, isUp] = [300, false]; !isUp; checkMsMax *= 2) {
      using prover = await Prover.open({ ...ground.options, checkMsMax });
      const proven = await prover.run("HEAD", "flock child sh -c 'echo > up; sleep 60' & sleep 60");
      expect(proven).toMatchObject({ run: { exit: null } });
      expect(isHeld(join(prover.folder, "child"))).toBe(false);
      isUp = existsSync(join(prover.folder, "up"));
    }
  });

  it("does not wait for a process that outlives it in another session", async () => {
    using ground = provingGround();
    const { exit, seconds } = await ground.check("setsid sleep 5 & echo done");
    expect(exit).toBe(0);
    expect(seconds).toBeLessThan(4);
  });

  it("with unlimited output leaves a digest and a bounded tail", async () => {
    using ground = provingGround();
    const { exit, tail, digest } = await ground.check("head -c 50000000 /dev/zero | tr '\\0' x; echo end");
    expect({ exit, length: tail.length, end: tail.slice(-4) }).toEqual({
      exit: 0,
      length: 4096,
      end: "end\n",
    });
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it("keeps secrets out of its tail, and the caller's environment out of its own", async () => {
    using ground = provingGround();
    const secret = ["AKIA", "Z7QX2M", "4WPL9K", "TRB3"].join("");
    process.env.LOCKSTEP_TOKEN = "t";
    try {
      const { tail } = await ground.check(`echo key ${secret}; env | grep -c TOKEN`);
      expect(tail).not.toContain(secret);
      expect(tail).toMatch(/\n0\n$/);
    } finally {
      delete process.env.LOCKSTEP_TOKEN;
    }
  });

  it.each([0, 1])(
    "keeps the secrets of an included file out of what is kept of it (exit %i)",
    async (exit) => {
      using ground = provingGround();
      ground.write("main/.env", "SHOP_PASSPHRASE=correct-horse-battery\nPORT=30001234\n");
      const { tail, excerpt = "", log } = await ground.check(`cat .env; exit ${exit}`);
      const kept = [tail, excerpt, log === undefined ? "" : readFileSync(log, "utf8")].join("\n");
      expect(kept).toContain("SHOP_PASSPHRASE=[secret: known]\nPORT=30001234");
      expect(kept).not.toContain("horse");
    },
  );

  it("masks a secret before it cuts the output", async () => {
    using ground = provingGround();
    const secret = ["ghp_", "Tk3ynVzWAwiXrNHBBrbsKrkNrtQYrtSJzeG1"].join("");
    const { tail } = await ground.check(`echo ${secret}; head -c 4058 /dev/zero | tr '\\0' x`);
    expect(tail).not.toContain("SJzeG1");
    expect(tail.length).toBeLessThanOrEqual(4096);
  });

  it.each(["HEAD; touch x", "--upload-pack=x", "deadbeef", ""])(
    "of `%s` reports that the commit does not exist",
    async (commit) => {
      using ground = provingGround();
      expect((await ground.check("true", { commit })).error).toContain("commit");
    },
  );
});
