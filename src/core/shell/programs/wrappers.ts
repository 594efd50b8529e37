import { concat, known, knownStart, literal, type Text, unknownText, withoutStart } from "../text.ts";
import type { Program } from "../types.ts";
import { joined, named, reading, writeFiles } from "./describe.ts";
import { runsCode, runWithAssignments, runWords, wrapping } from "./wrapping.ts";

/** The words after `--`, or all operands: `valgrind`, `firejail`, `op run -- …`. */
function afterDashes(verbs: RegExp, otherwise: Program): Program {
  return (call, effects) => {
    const verb = known(call.args[0] ?? []) ?? "";
    const at = call.args.findIndex((word) => known(word) === "--");
    if (verbs.test(verb) && at > 0) runWords(call.args.slice(at + 1), effects);
    else otherwise(call, effects);
  };
}

/** `flock FILE command`, `flock FILE -c CODE`, `flock FD`: the lock file is created. */
const flock = reading(
  {
    values: "w,wait,timeout E,conflict-exit-code",
    flags: "s,shared x,exclusive u,unlock n,nb o F",
    wrapper: true,
  },
  (options, effects) => {
    const [file, ...words] = options.operands;
    if (file === undefined) return;
    if (!/^\d+$/.test(known(file) ?? "")) effects.write(file);
    const isCode = /^(?:-c|--command)$/.test(known(words[0] ?? []) ?? "");
    if (isCode) effects.shell(words[1] ?? unknownText);
    else runWords(words, effects);
  },
);

const watch = reading(
  { values: "n,interval q,equexit", glued: "d,differences", flags: "x,exec b e g t c p w", wrapper: true },
  (options, effects) => {
    if (options.has("x")) runWords(options.operands, effects);
    else if (options.operands.length > 0) effects.shell(joined(options.operands));
  },
);

/** `strace -o '|COMMAND'` hands the trace to a command. */
const strace = reading(
  {
    values:
      "o,output e,trace p,attach s,string-limit a,columns u,user E,env P,trace-path S,summary-sort-by X b I O",
    wrapper: true,
  },
  (options, effects) => {
    for (const output of options.all("o")) {
      if (/^[|!]/.test(knownStart(output))) effects.shell(withoutStart(output, 1));
      else writeFiles([output], effects);
    }
    runWithAssignments([...options.all("E"), ...options.operands], effects);
  },
);

/** `setarch [ARCH] command`: the machine's kind may be left out. */
const setarch: Program = (call, effects) => {
  const first = call.args.findIndex((word) => !knownStart(word).startsWith("-"));
  const isKind = /^(?:linux(?:32|64)|i\d86|x86_64|aarch64|arm\w*|uname26|ppc\w*|s390x?)$/;
  const named = first >= 0 && isKind.test(known(call.args[first] ?? []) ?? "");
  const words = named ? call.args.toSpliced(first, 1) : call.args;
  setarchOptions({ ...call, args: words }, effects);
};
const setarchOptions = wrapping({ flags: "R B F I L S T X Z 3 v" });

/** `logsave FILE command`. */
const logsave = reading({ flags: "a s v", wrapper: true }, (options, effects) => {
  const [file, ...words] = options.operands;
  if (file !== undefined) writeFiles([file], effects);
  runWords(words, effects);
});

/** util-linux: `script -c CODE FILE`; BSD: `script FILE command…`. */
const script = reading(
  {
    values: "c,command I,log-in O,log-out B,log-io T,log-timing o,output-limit E,echo m,logging-format",
    glued: "t,timing",
    flags: "a,append e,return f,flush q,quiet force",
  },
  (options, effects) => {
    writeFiles([...options.all("I", "O", "B", "T"), ...options.operands.slice(0, 1)], effects);
    const code = options.value("c");
    if (code !== undefined) effects.shell(code);
    else runWords(options.operands.slice(1), effects);
    if (options.operands.length === 0 && !options.has("I", "O", "B")) effects.write(literal("typescript"));
  },
);

/** bubblewrap: how many words each option takes. */
const bwrapArity: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    "bind dev-bind ro-bind bind-try dev-bind-try ro-bind-try symlink setenv chmod file bind-data ro-bind-data overlay"
      .split(" ")
      .map((name) => [name, 2]),
  ),
  ...Object.fromEntries(
    "args unsetenv userns userns2 pidns uid gid hostname chdir exec-label file-label proc dev tmpfs mqueue dir seccomp add-seccomp-fd block-fd userns-block-fd info-fd json-status-fd sync-fd lock-file remount-ro cap-add cap-drop perms size overlay-src tmp-overlay ro-overlay argv0 "
      .split(" ")
      .map((name) => [name, 1]),
  ),
};

const bwrap: Program = (call, effects) => {
  let at = 0;
  for (; at < call.args.length; at++) {
    const word = knownStart(call.args[at] ?? []);
    if (!word.startsWith("--")) break;
    if (word === "--") {
      at++;
      break;
    }
    at += bwrapArity[word.slice(2)] ?? 0;
  }
  runWords(call.args.slice(at), effects);
};

/** Each operand is a command line of its own. */
const eachOperand = reading(
  {
    values:
      "n,names c,prefix-colors p,prefix s,success l,prefix-length t,timestamp-format m,max-processes restart-tries restart-after hide w,warmup r,runs M,max-runs u,time-unit S,shell P,parameter-scan L,parameter-list prepare setup conclude cleanup N command-name export-json export-csv export-markdown export-asciidoc export-orgmode output input",
    flags: "k,kill-others kill-others-on-fail raw i,handle-input g,group no-color",
  },
  (options, effects, call) => {
    for (const [key, file] of options.options.map((option) => [option.name, option.value] as const)) {
      if (key.startsWith("export-") && file !== undefined) effects.write(file);
    }
    for (const code of [...options.all("prepare", "setup", "conclude", "cleanup"), ...options.operands]) {
      effects.shell(code);
    }
    if (
      call.name === "concurrently" &&
      options.operands.some((word) => knownStart(word).startsWith("npm:"))
    ) {
      effects.opaque("scripts of the package run", { runsScript: true });
    }
  },
);

/** `perf stat [options] command`, `perf record -o FILE command`. */
const perf: Program = (call, effects) => {
  const verb = known(call.args[0] ?? []) ?? "";
  if (!/^(?:stat|record|trace|mem|c2c|kmem|lock|sched)$/.test(verb)) return;
  perfRun({ ...call, args: call.args.slice(1) }, effects);
};
const perfRun = wrapping({
  values: "e,event F,freq p,pid t,tid C,cpu c,count r,repeat I,interval-print x,field-separator m ",
  files: "o,output",
});

const gdb: Program = (call, effects) => {
  const at = call.args.findIndex((word) => /^--?args$/.test(known(word) ?? ""));
  effects.opaque("a debugger runs what it is told");
  for (const word of call.args) {
    const text = knownStart(word);
    effects.code(word);
    if (/^(?:shell|!|make|pipe)\s*/.test(text)) effects.shell(concat(dropWord(word)));
  }
  if (at >= 0) runWords(call.args.slice(at + 1), effects);
};

function dropWord(word: Text): Text {
  const text = known(word);
  return text === undefined ? unknownText : literal(text.replace(/^(?:shell\s|!|make\s|pipe\s)\s*/, ""));
}

const table: [string, Program][] = [
  ["flock", flock],
  ["lckdo", flock],
  ["watch", watch],
  ["viddy", watch],
  ["script", script],
  ["bwrap", bwrap],
  ["perf", perf],
  ["ssh-agent", wrapping({ values: "a t E P O", flags: "c s k d D" })],
  ["gdb", gdb],
  ["lldb", gdb],
  ...named("concurrently hyperfine pee run-s run-p", eachOperand),
  ...named("timeout", wrapping({ values: "s,signal k,kill-after", skip: 1 })),
  ["nice", wrapping({ values: "n,adjustment" })],
  ["ionice", wrapping({ values: "c,class n,classdata", looks: "p,pid P,pgid u,uid", flags: "t,ignore" })],
  [
    "chrt",
    wrapping({ values: "T,sched-runtime P,sched-period D,sched-deadline", looks: "p,pid m,max", skip: 1 }),
  ],
  ["taskset", wrapping({ flags: "c,cpu-list a", looks: "p,pid", skip: 1 })],
  ...named(
    "nohup setsid unbuffer chronic ifne eatmydata winpty catchsegv torsocks torify tsocks",
    wrapping({}),
  ),
  ["fakeroot", wrapping({ values: "l,lib faked s i b" })],
  ["rlwrap", wrapping({ values: "b c C f H l m O p q s S t w z" })],
  ...named("proxychains proxychains4", wrapping({ values: "f" })),
  ...named("tini dumb-init", wrapping({ values: "p e r,rewrite" })),
  ["stdbuf", wrapping({ values: "i,input o,output e,error" })],
  ["time", wrapping({ values: "f,format", files: "o,output", flags: "a p v q" })],
  ["strace", strace],
  ["ltrace", wrapping({ values: "e p s a u n l x A D F", files: "o,output" })],
  ["dtruss", wrapping({ values: "b n p t" })],
  [
    "valgrind",
    wrapping({
      style: "long",
      files: "log-file xml-file massif-out-file callgrind-out-file cachegrind-out-file dhat-out-file",
    }),
  ],
  [
    "systemd-run",
    wrapping({
      values:
        "u,unit p,property E,setenv H,host M,machine uid gid nice slice description on-calendar on-active on-boot timer-property service-type path-property",
      folder: "working-directory",
      opaque: "it runs elsewhere",
    }),
  ],
  ["systemd-inhibit", wrapping({ values: "what who why mode" })],
  [
    "unshare",
    wrapping({
      values: "S,setuid G,setgid map-user map-group map-users map-groups propagation setgroups",
      glued: "m,mount u,uts i,ipc n,net p,pid U,user C,cgroup T,time",
      flags: "r,map-root-user f,fork c",
      folder: "w,wd R,root",
    }),
  ],
  [
    "nsenter",
    wrapping({
      values: "t,target S,setuid G,setgid",
      glued: "m,mount u,uts i,ipc n,net p,pid U,user C,cgroup T,time r,root w,wd",
    }),
  ],
  ["chroot", wrapping({ style: "long", values: "userspec groups", skip: 1 })],
  ["firejail", wrapping({ style: "long" })],
  [
    "xvfb-run",
    wrapping({
      values: "n,server-num f,auth-file s,server-args w,wait p,xauth-protocol",
      files: "e,error-file",
      flags: "a,auto-servernum l",
    }),
  ],
  ["dbus-run-session", wrapping({ values: "config-file dbus-daemon" })],
  ["caffeinate", wrapping({ values: "t w" })],
  ["entr", wrapping({ flags: "a c d n p r x z", joins: "s" })],
  [
    "watchexec",
    wrapping({
      values: "w,watch e,exts f,filter i,ignore d,debounce s,signal stop-signal shell E,env delay-run W",
      folder: "workdir",
    }),
  ],
  ["chokidar", runsCode({ values: "d,debounce t,throttle i,ignore p,polling-interval", code: "c,command" })],
  ["faketime", wrapping({ values: "p", flags: "f m", skip: 1 })],
  ["cpulimit", wrapping({ values: "l,limit p,pid e,exe P,path" })],
  [
    "prlimit",
    wrapping({
      values: "p,pid o,output",
      glued: "n,nofile c,core d,data f,fsize v,as t,cpu u,nproc s,stack",
    }),
  ],
  ["numactl", wrapping({ values: "m,membind N,cpunodebind C,physcpubind i,interleave p,preferred" })],
  ["setpriv", wrapping({ values: "reuid regid groups inh-caps ambient-caps bounding-set" })],
  ["setarch", setarch],
  ["arch", wrapping({ values: "arch e d", style: "long" })],
  ...named("linux32 linux64 i386 i686 x86_64 uname26 run-one keep-one-running annotate-output", wrapping({})),
  ["choom", wrapping({ values: "n,adjust", looks: "p,pid" })],
  ["logsave", logsave],
  [
    "ld.so",
    wrapping({
      style: "long",
      values: "library-path preload audit inhibit-rpath argv0 glibc-hwcaps-prepend",
    }),
  ],
  ["chpst", wrapping({ values: "u U b e n d o p f c t m / l L" })],
  ["proot", wrapping({ values: "r b q w v k S R i" })],
  ["dotenv", wrapping({ values: "e v p f,file c" })],
  ["dotenvx", afterDashes(/^run$/, (call, effects) => effects.operand(call.args[0] ?? []))],
  ["op", afterDashes(/^run$/, (_, effects) => effects.opaque("it reads secrets"))],
  ["doppler", afterDashes(/^run$/, (_, effects) => effects.opaque("it reads secrets"))],
  ["aws-vault", afterDashes(/^exec$/, (_, effects) => effects.opaque("it reads secrets"))],
  ["lxc", afterDashes(/^exec$/, (_, effects) => effects.opaque("it manages containers"))],
  ["distrobox", afterDashes(/^(?:enter|run)$/, (_, effects) => effects.opaque("it manages containers"))],
  ["flatpak-spawn", wrapping({ style: "long", folder: "directory" })],
];

export const wrappers = new Map<string, Program>(table);
