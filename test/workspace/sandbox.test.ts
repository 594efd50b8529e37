import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sandboxWords } from "../../src/workspace/sandbox/bubblewrap.ts";
import type { SandboxPolicy } from "../../src/workspace/sandbox/sandbox.ts";
import { isHeld } from "../support/held-file.ts";
import { eventually } from "../support/run-command.ts";
import { missing, type SandboxedPlace, type Setting, sandboxed, settings } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const unlessMissing = describe.skipIf(missing !== undefined);

/** A unique name, so that the remains of one failure do not fail every later run. */
const trace = `lockstep-test-${process.pid}-${Date.now()}`;

unlessMissing.each(settings)("in the sandbox of $user $where,", (setting) => {
  it("writes to the main checkout, its repository, the ledger, a neighbour, the home and the system fail", async () => {
    using box = sandboxed(setting);
    const names = ["main/new.txt", "main/a.txt", "main/.git/config", "main/.git/refs/heads/new"];
    names.push("main/.git/lockstep/state.db", "neighbour/a.txt");
    names.push("home/.bashrc", "home/.ssh/id", "home/.tool/settings");
    const system = ["/etc", "/", "/usr", "/sys", "/run"].map((folder) => join(folder, trace));
    const paths = [...names.map(box.place), ...system];
    const contents = () => paths.map((path) => existsSync(path) && readFileSync(path, "utf8"));
    const before = contents();
    const { tail } = await box.run(paths.map((path) => `echo x > '${path}'`).join("\n"));
    const lines = tail.trim().split("\n");
    expect(lines).toHaveLength(paths.length);
    const failure = /: (?:Read-only file system|Directory nonexistent|No such file or directory)$/;
    expect(lines.filter((line) => !failure.test(line))).toEqual([]);
    expect(contents()).toEqual(before);
  });

  it("writes to the checkout, its ignored output, its client's state and temporary folders work", async () => {
    using box = sandboxed(setting);
    for (const file of ["checkout/a.txt", "checkout/new/deep.txt", "home/.client/state"]) {
      const { tail } = await box.run(
        `mkdir -p "$(dirname '${box.place(file)}')" && echo x > '${box.place(file)}'`,
      );
      expect(tail).toBe("");
      expect(readFileSync(box.place(file), "utf8")).toBe("x\n");
    }
    const { tail } = await box.run(
      `mkdir dist && echo x > dist/out && echo "$TMPDIR" && f=$(mktemp) && echo x > "$f" && cat "$f" && echo y > /var/tmp/${trace}`,
    );
    expect(tail).toBe("/tmp\nx\n");
    // Folders on the way to mounts below /tmp exist there too.
    const mounted = (name: string) =>
      [box.place("main"), process.execPath].some((path) => path.includes(name));
    const written = readdirSync(box.place("temporary")).filter((name) => !mounted(name));
    expect(written).toHaveLength(2);
    expect(existsSync(join("/var/tmp", trace))).toBe(false);
  });

  it("a folder in the place of another protects that one, even below a writable folder", async () => {
    using box = sandboxed(setting);
    box.write("home/.client/deep/own/settings", "mine\n");
    box.write("agents/kept", "");
    const at = box.place("home/.client/deep/own");
    const placed = [{ at, from: box.place("agents"), shown: ["settings"] }];
    const { tail } = await box.run(
      `cd '${at}' && echo x > planted && ls && cat settings; echo x > settings; cd '${box.place("home/.client")}' && mv deep aside; mkdir -p deep/own && echo x > deep/own/planted; echo x > deep/beside`,
      { placed },
    );
    expect(tail).toMatch(/^kept\nplanted\nsettings\nmine\n.*Read-only file system\nmv: .*busy\n$/);
    expect(readdirSync(at)).toEqual(["settings"]);
    expect(readFileSync(join(at, "settings"), "utf8")).toBe("mine\n");
    expect(readdirSync(box.place("home/.client/deep")).sort()).toEqual(["beside", "own"]);
  });

  it("a build works that writes dist and runs its output, and so do git's own commands", async () => {
    using box = sandboxed(setting);
    box.write(
      "checkout/build.mjs",
      `import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
       import { stripTypeScriptTypes } from "node:module";
       mkdirSync("dist", { recursive: true });
       writeFileSync("dist/price.mjs", stripTypeScriptTypes(readFileSync("src/price.ts", "utf8")) + "console.log(price)");`,
    );
    const node = `'${process.execPath}' --no-warnings`;
    expect(await box.run(`${node} build.mjs && ${node} dist/price.mjs`)).toMatchObject({
      exit: 0,
      tail: "1\n",
    });
    const commit = "git -c user.name=t -c user.email=t@localhost commit -qam b";
    const { exit, tail } = await box.run(
      `echo b >> a.txt && ${commit} && git log --format=%s && git status -s`,
    );
    expect({ exit, tail }).toEqual({ exit: 0, tail: "b\na\n?? build.mjs\n" });
  });

  it("hidden files cannot be read in any way", async () => {
    using box = sandboxed(setting);
    box.write("main/hidden-file", "secret-file\n");
    const hidden = ["main/.git/lockstep/state.db", "neighbour/a.txt", "home/.ssh/id", "main/hidden-file"];
    const up = "/..".repeat(12);
    const ways = ["", "/proc/1/root", "/proc/self/root", `/proc/self/cwd${up}`, `/proc/1/cwd${up}`];
    const files = hidden.flatMap((file) => ways.map((way) => `'${way}${box.place(file)}'`));
    const more = { hidden: [...box.policy.hidden, box.place("main/hidden-file")] };
    const { tail } = await box.run(`cat ${files.join(" ")}; ls '${box.place("neighbour")}'; echo end`, more);
    expect(tail).not.toContain("secret");
    expect(tail.trimEnd().endsWith("\nend")).toBe(true);
    const seen = await box.run(`cat '${box.place("main/a.txt")}' "$HOME/.tool/settings"`, more);
    expect(seen.tail).toBe("a\nshown\n");
  });

  it("no link leads a write out of the checkout", async () => {
    using box = sandboxed(setting);
    const { tail } = await box.run(
      `ln -s '${box.place("main")}' out; echo x > out/a.txt; echo x > out/new; ln '${box.place("main/a.txt")}' hard; ln -s /etc etc; echo x > etc/${trace}; ls`,
    );
    expect(tail.match(/Read-only file system/g)).toHaveLength(3);
    expect(tail).toContain("Invalid cross-device link");
    expect(readFileSync(box.place("main/a.txt"), "utf8")).toBe("a\n");
    expect(readdirSync(box.place("main"))).toEqual([".git", ".gitignore", "a.txt", "src"]);
  });

  it("no trick with /proc, mounts or namespaces opens it", async () => {
    using box = sandboxed(setting);
    const target = box.place("main/new");
    const tricks = [
      `echo x > /proc/1/root${target}`,
      `echo x > /proc/$$/root${target}`,
      `mount -o remount,bind,rw '${box.place("main")}' && echo x > ${target}`,
      `mount -o remount,rw / && echo x > /etc/${trace}`,
      `umount '${box.place("neighbour")}'`,
      `unshare -Urm sh -c 'mount -o remount,bind,rw / && echo x > /etc/${trace}'`,
      `unshare -Urm umount '${box.place("main/.git/lockstep")}'`,
      `nsenter -t 1 -m echo x > ${target}`,
      `chroot /proc/1/root sh -c 'echo x > ${target}'`,
      `test -e /proc/${process.pid}/root`,
      `kill -9 ${process.pid}`,
      // It writes back what it read: nothing is lost if this fails.
      'v=$(cat /proc/sys/kernel/core_pattern) && echo "$v" > /proc/sys/kernel/core_pattern',
      "mknod device b 8 0",
      // A process may register for events about itself there.
      "find /proc -path '/proc/[0-9]*' -prune -o -path /proc/pressure -prune -o -type f -writable -print | grep .",
    ];
    const lines = tricks.map((trick, at) => `(${trick}) > /dev/null 2>&1 && echo 'trick ${at} worked'`);
    expect((await box.run(`${lines.join("\n")}\necho end`)).tail).toBe("end\n");
    expect(existsSync(target)).toBe(false);
    expect(existsSync(join("/etc", trace))).toBe(false);
  });

  it("a process has no capability, no other processes, no socket of the machine and no terminal for input", async () => {
    using box = sandboxed(setting);
    const { tail } = await box.run(
      "grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status; ls /proc | grep -c '^[0-9]'; find /run -mindepth 1 ! -type l; cut -d' ' -f6 /proc/1/stat; echo x > /dev/tty",
    );
    expect(tail.replace(/\s+/g, " ")).toMatch(
      /^CapEff: 0+ NoNewPrivs: 1 [3-5] 1 sh: \d+: cannot create \/dev\/tty: No such device or address $/,
    );
  });

  it("the environment is the given one and the temporary folder", async () => {
    using box = sandboxed(setting);
    process.env.LOCKSTEP_TEST_SECRET = "secret";
    try {
      const { tail } = await box.run("env");
      const names = tail
        .trim()
        .split("\n")
        .map((line) => line.split("=")[0]);
      const shells = ["PWD", "OLDPWD", "SHLVL", "_"];
      expect(names.filter((name) => !shells.includes(name as string)).sort()).toEqual([
        "HOME",
        "PATH",
        "TMPDIR",
      ]);
      expect(box.wrapped(["env"]).command.join(" ")).not.toContain("HOME=");
    } finally {
      delete process.env.LOCKSTEP_TEST_SECRET;
    }
  });

  it("a command keeps its exit code, signal and arguments", async () => {
    using box = sandboxed(setting);
    expect((await box.run("exit 7")).exit).toBe(7);
    expect((await box.run("kill -9 $$")).exit).toBe(137);
    expect((await box.run("cat", {}, { input: "typed\n" })).tail).toBe("typed\n");
    for (const words of [
      ["printf", "%s|", "a b", "", "'\"$x"],
      ["echo", "-n", "--", "x"],
    ]) {
      const { command, env } = box.wrapped(words);
      const printed = await box.run("true", {}, { command, env });
      expect(printed.tail).toBe(words[0] === "echo" ? "-- x" : "a b||'\"$x|");
    }
    const missing = box.wrapped(["lockstep-nosuch"]);
    expect([126, 127]).toContain((await box.run("", {}, missing)).exit);
  });

  /** A child in a session of its own that creates a file once it runs and holds another one while it lives. */
  const child = (up: string) =>
    `setsid nohup flock --shared held sh -c 'echo > ${up}; sleep 30' > /dev/null 2>&1 &`;
  const isUp = (box: SandboxedPlace) => existsSync(box.place("checkout/up")) || undefined;
  const isGone = (box: SandboxedPlace) => !isHeld(box.place("checkout/held")) || undefined;

  it("children in sessions of their own are gone as soon as the command has ended", async () => {
    using box = sandboxed(setting);
    const ups = Array.from({ length: 6 }, (_, at) => `up${at}`);
    const script = `${ups.map(child).join(" ")} until ls ${ups.join(" ")}; do sleep 0.02; done`;
    const { command, env } = box.wrapped(["sh", "-c", script]);
    const [program = "", ...words] = command;
    for (let i = 0; i < 6; i += 1) {
      for (const up of ups) rmSync(box.place(`checkout/${up}`), { force: true });
      expect(spawnSync(program, words, { env, stdio: "ignore" }).status).toBe(0);
      expect(isGone(box)).toBe(true);
    }
  });

  it("a child in a session of its own is gone after the command was stopped", async () => {
    using box = sandboxed(setting);
    const controller = new AbortController();
    const running = box.run(`${child("up")} sleep 60`, {}, { abort: controller.signal });
    await eventually("the child is up", () => isUp(box));
    controller.abort();
    expect((await running).aborted).toBe(true);
    await eventually("its end", () => isGone(box));
  });

  it("everything is gone after the process that started it was killed", async () => {
    using box = sandboxed(setting);
    const { command, env } = box.wrapped(["sh", "-c", `${child("up")} sleep 60`]);
    const starter = spawn("sh", ["-c", '"$@"; exit', "sh", ...command], { env, stdio: "ignore" });
    await eventually("the child is up", () => isUp(box));
    starter.kill("SIGKILL");
    await eventually("its end", () => isGone(box));
  });

  it("there is a network only on request", async () => {
    using box = sandboxed(setting);
    const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const connect = `'${process.execPath}' -e 'require("net").connect(${port}, "127.0.0.1").on("error", () => process.exit(1))'`;
    try {
      expect((await box.run(connect)).exit).toBe(1);
      expect((await box.run(connect, { network: true })).exit).toBe(0);
    } finally {
      server.close();
    }
  });

  it("Lockstep's socket can be reached in a hidden folder", async () => {
    using box = sandboxed(setting);
    const socket = box.place("main/.git/lockstep/socket");
    const server = createServer((client) => client.end("hello\n")).listen(socket);
    await new Promise((resolve) => server.once("listening", resolve));
    box.handOver();
    const connect = `'${process.execPath}' -e 'require("net").connect("${socket}").on("error", () => process.exit(1)).pipe(process.stdout)'`;
    try {
      expect((await box.run(connect)).exit).toBe(1);
      const { exit, tail } = await box.run(`${connect}; ls -A '${box.place("main/.git/lockstep")}'`, {
        socket,
      });
      expect({ exit, tail }).toEqual({ exit: 0, tail: "hello\nsocket\n" });
    } finally {
      server.close();
    }
  });
});

unlessMissing.each(settings)("mounts in the sandbox of $user $where", (setting) => {
  const kinds = ["writable", "readOnly", "hidden"] as const;
  const tree = ["a", "a/b", "a/b/c", "a/b/c/d", "a/e", "a/e/f", "g", "g/h"];

  it("work for any nesting and in any order", async () => {
    using box = sandboxed(setting);
    for (const path of tree) box.write(`checkout/nest/${path}/here`, "here\n");
    box.handOver();
    const assigned = fc.array(fc.constantFrom(...kinds, undefined), {
      minLength: tree.length,
      maxLength: tree.length,
    });
    const around = fc.constantFrom(...kinds);
    await fc.assert(
      fc.asyncProperty(assigned, around, fc.infiniteStream(fc.nat()), async (choices, outer, weights) => {
        const nest = box.place("checkout/nest");
        const named = [
          { path: nest, kind: outer },
          ...tree.flatMap((path, at) =>
            choices[at] === undefined ? [] : [{ path: join(nest, path), kind: choices[at] }],
          ),
        ]
          .map((one) => ({ ...one, weight: weights.next().value as number }))
          .sort((one, other) => one.weight - other.weight);
        const ofKind = (kind: string) => named.filter((one) => one.kind === kind).map(({ path }) => path);
        const kindOf = (path: string) =>
          named
            .filter((one) => `${path}/`.startsWith(`${one.path}/`))
            .sort((one, other) => other.path.length - one.path.length)[0]?.kind;
        const more: Partial<SandboxPolicy> = {
          writable: [box.place("checkout"), ...ofKind("writable")],
          readOnly: ofKind("readOnly"),
          hidden: ofKind("hidden"),
        };
        const looks = tree.map((path) => {
          const folder = join(nest, path);
          return `r=-; w=-; [ -e '${folder}/here' ] && r=r; (echo > '${folder}/new') 2>/dev/null && w=w; rm -f '${folder}/new'; echo "${path} $r$w"`;
        });
        const { tail } = await box.run(looks.join("\n"), more);
        const expected = tree.map((path) => {
          const kind = kindOf(join(nest, path));
          return `${path} ${kind === "hidden" ? "-" : "r"}${kind === "writable" ? "w" : "-"}`;
        });
        expect(tail.split("\n").filter((line) => !line.startsWith("rm:") && line !== "")).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  it("protect their parent folders from being renamed", async () => {
    using box = sandboxed(setting);
    box.write("checkout/deep/er/kept.txt", "kept\n");
    box.handOver();
    const { tail } = await box.run(
      "mv deep moved; mv deep/er deep/moved; rm -rf deep; echo x > deep/er/kept.txt; echo x > deep/er/new.txt; cat deep/er/*",
      { readOnly: [box.place("checkout/deep/er/kept.txt")] },
    );
    expect(tail.match(/Device or resource busy/g)?.length).toBeGreaterThanOrEqual(3);
    expect(tail).toMatch(/Read-only file system\nkept\nx\n$/);
  });

  it("show the named parts of the home, even if they are links", async () => {
    using box = sandboxed(setting);
    box.write("home/dotfiles/gitconfig", "linked\n");
    symlinkSync("dotfiles/gitconfig", box.place("home/.gitconfig"));
    box.write("home/real-client/state", "state\n");
    symlinkSync("real-client", box.place("home/.linked-client"));
    symlinkSync("home", box.place("home-link"));
    box.handOver();
    const link = box.place("home-link");
    const home = { path: link, shown: [`${link}/.gitconfig`], writable: [box.place("home/.linked-client")] };
    const { tail } = await box.run(
      "cd; cat .gitconfig .linked-client/state; echo more >> .linked-client/state; echo x > .gitconfig; ls -A dotfiles; ls -A | grep -v -e local -e code",
      { home },
    );
    expect(tail).toMatch(
      /^linked\nstate\nsh: .*Read-only file system\ngitconfig\n\.gitconfig\n\.linked-client\ndotfiles\nreal-client\n$/,
    );
    expect(readFileSync(box.place("home/real-client/state"), "utf8")).toBe("state\nmore\n");
  });

  it("show links in shown folders, and named paths below a link", async () => {
    using box = sandboxed(setting);
    box.write("home/dotfiles/config/git/name", "name\n");
    box.write("home/elsewhere/theme", "theme\n");
    symlinkSync("dotfiles/config", box.place("home/.config"));
    symlinkSync("../elsewhere/theme", box.place("home/.tool/theme"));
    box.handOver();
    const shown = [".config", ".config/git", ".config/git/name", ".tool", ".tool/theme"];
    const home = {
      path: box.place("home"),
      shown: shown.map((name) => box.place(`home/${name}`)),
      writable: [],
    };
    expect((await box.run("cd; cat .config/git/name .tool/theme", { home })).tail).toBe("name\ntheme\n");
  });
});

describe("a hidden folder in the machine's temporary folder", () => {
  it("is not touched again after it was covered: its owner may have deleted it", () => {
    using folder = temporaryFolder({ "home/a": "", "kept/a": "", "vanishing/a": "" });
    const hidden = ["kept", "vanishing"].map((name) => join(folder.path, name));
    const home = { path: join(folder.path, "home"), shown: [], writable: [] };
    const policy = { writable: [], readOnly: [], hidden, home, placed: [], network: true };
    const remounted = (temporary: string | null) => {
      const words = sandboxWords({ ...policy, temporary });
      return words.filter((_, at) => words[at - 1] === "--remount-ro");
    };
    expect(remounted(folder.path)).toEqual(expect.arrayContaining(hidden));
    expect(remounted(null).filter((path) => path.startsWith(folder.path))).toEqual([]);
  });
});

describe("a policy that cannot be built", () => {
  const faults: readonly [string, (place: SandboxedPlace["place"]) => Partial<SandboxPolicy>, RegExp][] = [
    ["around a missing path", (place) => ({ hidden: [place("nowhere")] }), /^`.*\/nowhere` does not exist; /],
    ["around a relative path", () => ({ readOnly: ["main"] }), /^`main` is not an absolute path$/],
    [
      "of two kinds",
      (place) => ({ hidden: [place("main")] }),
      /^`.*\/main` is requested both as hidden and as read-only/,
    ],
    ["with everything writable", () => ({ writable: ["/"] }), /^`\/` as a whole/],
    ["inside /proc", () => ({ readOnly: ["/proc/self"] }), /is in `\/proc`/],
    ["with the shared temporary folder", () => ({ temporary: "/tmp" }), /^`\/tmp` is shared by all users/],
    [
      "with a home elsewhere",
      (place) => ({ home: { path: place("home"), shown: ["/etc"], writable: [] } }),
      /is not below the home/,
    ],
    [
      "around a hidden folder to start in",
      (place) => ({ writable: [], hidden: [place("checkout")] }),
      /is hidden in the sandbox/,
    ],
    [
      "around a link that an agent put there",
      (place) => ({ readOnly: [place("checkout/docs")] }),
      /is a link that leads out of/,
    ],
    [
      "around a path behind such a link",
      (place) => ({ readOnly: [place("checkout/docs/id")] }),
      /is a link that leads out of/,
    ],
  ];

  it.each(faults)("%s is refused with the reason", (_, more, message) => {
    using box = sandboxed(settings[0] as Setting);
    symlinkSync(box.place("home/.ssh"), box.place("checkout/docs"));
    expect(() => box.wrapped(["true"], more(box.place))).toThrow(message);
    expect(() => box.wrapped(["true"], more(box.place))).toThrow(
      expect.objectContaining({ code: "R-PE-003" }),
    );
  });
});
