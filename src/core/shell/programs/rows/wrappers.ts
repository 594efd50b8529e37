import { known, knownStart, type Text, unknownText, withoutStart } from "../../text.ts";
import type { Hook, Row } from "../row/row.ts";
import { runWithAssignments, runWords } from "../row/wrapping.ts";
import { environments } from "../shell/env.ts";
import { parallel } from "../shell/parallel.ts";
import { xargs } from "../shell/xargs.ts";

const runs = { runs: "operands" } as const;

/** `flock FILE command`, `flock FILE -c CODE`, `flock FD`: the lock file is created. */
const locks: Hook = ({ operands: [file, ...words] }, effects) => {
  if (file === undefined) return;
  if (!/^\d+$/.test(known(file) ?? "")) effects.write(file);
  if (/^(?:-c|--command)$/.test(known(words[0] ?? []) ?? "")) effects.shell(words[1] ?? unknownText);
  else runWords(words, effects);
};

/** `strace -o '|COMMAND'` pipes the trace into a command. */
const traces: Hook = (options, effects) => {
  for (const output of options.all("o")) {
    if (/^[|!]/.test(knownStart(output))) effects.shell(withoutStart(output, 1));
    else effects.write(output);
  }
  runWithAssignments([...options.all("E"), ...options.operands], effects);
};

/** `setarch [ARCH] command`: the architecture is optional. */
function withoutKind(words: readonly Text[]): readonly Text[] {
  const first = words.findIndex((word) => !knownStart(word).startsWith("-"));
  const isKind = /^(?:linux(?:32|64)|i\d86|x86_64|aarch64|arm\w*|uname26|ppc\w*|s390x?)$/.test(known(words[first] ?? []) ?? "");
  return isKind ? words.toSpliced(first, 1) : words;
}

const wordsOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const bwrapPairs = wordsOf("bind dev-bind ro-bind bind-try dev-bind-try ro-bind-try symlink setenv chmod file bind-data ro-bind-data overlay");
const bwrapValues = wordsOf(
  "args unsetenv userns userns2 pidns uid gid hostname chdir exec-label file-label proc dev tmpfs mqueue dir seccomp add-seccomp-fd block-fd userns-block-fd info-fd json-status-fd sync-fd lock-file remount-ro cap-add cap-drop perms size overlay-src tmp-overlay ro-overlay argv0",
);

/** bubblewrap's options take one word, two or none. */
const binds: Hook = (_, effects, { args }) => {
  let at = 0;
  while (at < args.length && /^--./.test(knownStart(args[at] ?? []))) {
    const name = knownStart(args[at] ?? []).slice(2);
    at += bwrapPairs.has(name) ? 3 : bwrapValues.has(name) ? 2 : 1;
  }
  runWords(args.slice(at), effects);
};

/** Programs that run the command in their operands. */
export const wrappers: readonly Row[] = [
  ...environments,
  xargs,
  parallel,
  {
    names: "flock lckdo",
    wrapper: true,
    values: "w,wait,timeout E,conflict-exit-code",
    flags: "s,shared x,exclusive u,unlock n,nb o F",
    also: locks,
    match: ["flock l touch a -> a l", "flock -w 5 l -c 'touch a' -> a l"],
    no_match: ["flock -n 9"],
  },
  {
    names: "strace",
    wrapper: true,
    values: "o,output e,trace p,attach s,string-limit a,columns u,user E,env P,trace-path S,summary-sort-by X b I O",
    also: traces,
    match: ["strace -o l touch a -> a l", "strace -o '|touch b' touch a -> a b"],
  },
  { names: "setarch", ...runs, spelled: withoutKind, flags: "R B F I L S T X Z 3 v", match: ["setarch x86_64 -R touch a -> a", "setarch -R touch a -> a"] },
  {
    names: "script",
    wrapper: false,
    glued: "t,timing",
    flags: "a,append e,return f,flush q,quiet",
    values: "o,output-limit E,echo m,logging-format",
    files: "I,log-in O,log-out B,log-io T,log-timing",
    shell: "c,command",
    writes: "first",
    action: "write",
    besides: [
      { ...runs, skip: 1, unless: "c" },
      { unless: "I O B", also: (options, effects) => (options.operands.length === 0 ? effects.write([{ kind: "literal", text: "typescript" }]) : undefined) },
    ],
    match: ["script -c 'touch a' l -> a l", "script l touch a -> a l", "script -> typescript", "script -O l -c ls -> l"],
  },
  { names: "bwrap", also: binds, match: ["bwrap --ro-bind / / --dev /dev touch a -> a", "bwrap --unshare-all -- touch a -> a"] },
  {
    names: "concurrently",
    runs: "each",
    values: "n,names c,prefix-colors p,prefix s,success l,prefix-length t,timestamp-format m,max-processes restart-tries restart-after hide",
    flags: "k,kill-others i,handle-input g,group",
    // `npm:x` is a script of the package.
    also: (_, effects, { args }) => {
      if (args.some((word) => knownStart(word).startsWith("npm:"))) effects.opaque("scripts of the package run", { runsScript: true });
    },
    match: ["concurrently -k 'touch a' 'touch b' -> a b", "concurrently npm:x"],
  },
  {
    names:
      "nohup setsid unbuffer chronic ifne eatmydata winpty catchsegv torsocks torify tsocks linux32 linux64 i386 i686 x86_64 uname26 run-one keep-one-running annotate-output",
    ...runs,
    match: ["nohup touch a -> a", "setsid -- touch a -> a"],
    no_match: ["nohup ls"],
  },
  { names: "timeout", ...runs, values: "s,signal k,kill-after", skip: 1, match: ["timeout -s KILL 5 touch a -> a"], no_match: ["timeout 5 ls"] },
  { names: "nice", ...runs, values: "n,adjustment", match: ["nice -n 5 touch a -> a"] },
  {
    names: "ionice",
    ...runs,
    values: "c,class n,classdata p,pid P,pgid u,uid",
    harmless: "p P u",
    match: ["ionice -c 3 touch a -> a"],
    no_match: ["ionice -p 1"],
  },
  {
    names: "chrt",
    ...runs,
    values: "T,sched-runtime P,sched-period D,sched-deadline",
    harmless: "p,pid m,max",
    skip: 1,
    match: ["chrt 1 touch a -> a"],
    no_match: ["chrt -p 1"],
  },
  { names: "taskset", ...runs, harmless: "p,pid", skip: 1, match: ["taskset -c 0 touch a -> a"], no_match: ["taskset -p 1"] },
  { names: "ssh-agent", ...runs, values: "a t E P O", match: ["ssh-agent touch a -> a"], no_match: ["ssh-agent -s"] },
  { names: "fakeroot", ...runs, values: "l,lib faked s i b", match: ["fakeroot -i x touch a -> a"] },
  { names: "rlwrap", ...runs, values: "b c C f H l m O p q s S t w z", match: ["rlwrap -f x touch a -> a"] },
  { names: "proxychains proxychains4", ...runs, values: "f", match: ["proxychains -f x touch a -> a"] },
  { names: "tini dumb-init", ...runs, values: "p e r,rewrite", match: ["tini -- touch a -> a"] },
  { names: "stdbuf", ...runs, values: "i,input o,output e,error", match: ["stdbuf -oL touch a -> a"] },
  { names: "time", ...runs, values: "f,format", files: "o,output", match: ["/usr/bin/time -o l touch a -> a l"] },
  { names: "ltrace", ...runs, values: "e p s a u n l x A D F", files: "o,output", match: ["ltrace -o l touch a -> a l"] },
  { names: "dtruss", ...runs, values: "b n p t", match: ["dtruss touch a -> a"] },
  {
    names: "valgrind",
    ...runs,
    style: "long",
    files: "log-file xml-file massif-out-file callgrind-out-file cachegrind-out-file dhat-out-file",
    match: ["valgrind --log-file=l touch a -> a l"],
  },
  {
    names: "perf",
    commands: {
      "stat record trace mem c2c kmem lock sched": {
        ...runs,
        values: "e,event F,freq p,pid t,tid C,cpu c,count r,repeat I,interval-print x,field-separator m",
        files: "o,output",
      },
    },
    match: ["perf record -o l touch a -> a l"],
    no_match: ["perf report"],
  },
  {
    names: "systemd-run",
    ...runs,
    in: "working-directory",
    opaque: "systemd starts it as a separate process",
    values:
      "u,unit p,property E,setenv H,host M,machine uid gid nice slice description on-calendar on-active on-boot timer-property service-type path-property",
    match: ["systemd-run --user -u x touch a -> a"],
  },
  { names: "systemd-inhibit", ...runs, values: "what who why mode", match: ["systemd-inhibit --what=sleep touch a -> a"] },
  {
    names: "unshare",
    ...runs,
    in: "w,wd R,root",
    values: "S,setuid G,setgid map-user map-group map-users map-groups propagation setgroups",
    glued: "m,mount u,uts i,ipc n,net p,pid U,user C,cgroup T,time",
    match: ["unshare -r -w sub touch a -> sub/a"],
  },
  {
    names: "nsenter",
    ...runs,
    values: "t,target S,setuid G,setgid",
    glued: "m,mount u,uts i,ipc n,net p,pid U,user C,cgroup T,time r,root w,wd",
    match: ["nsenter -t 1 -m touch a -> a"],
  },
  { names: "chroot", ...runs, style: "long", values: "userspec groups", skip: 1, match: ["chroot / touch a -> a"] },
  { names: "firejail", ...runs, style: "long", match: ["firejail --net=none touch a -> a"] },
  {
    names: "xvfb-run",
    ...runs,
    values: "n,server-num f,auth-file s,server-args w,wait p,xauth-protocol",
    files: "e,error-file",
    match: ["xvfb-run -a -e l touch a -> a l"],
  },
  { names: "dbus-run-session", ...runs, values: "config-file dbus-daemon", match: ["dbus-run-session -- touch a -> a"] },
  { names: "caffeinate", ...runs, values: "t w", match: ["caffeinate -t 1 touch a -> a"] },
  { names: "entr", ...runs, cases: [{ when: "s", runs: "shell" }], match: ["ls | entr touch a -> a", "ls | entr -s 'touch a' -> a"] },
  {
    names: "watchexec",
    ...runs,
    in: "workdir",
    values: "w,watch e,exts f,filter i,ignore d,debounce s,signal stop-signal shell E,env delay-run W",
    match: ["watchexec -e ts touch a -> a"],
  },
  {
    names: "watch viddy",
    runs: "line",
    values: "n,interval q,equexit",
    glued: "d,differences",
    cases: [{ when: "x,exec", ...runs }],
    match: ["watch -n 1 'touch a' -> a", "watch -x touch a -> a"],
    no_match: ["watch ls"],
  },
  {
    names: "chokidar",
    values: "d,debounce t,throttle i,ignore p,polling-interval",
    shell: "c,command",
    match: ["chokidar src -c 'touch a' -> a"],
    no_match: ["chokidar src"],
  },
  { names: "faketime", ...runs, values: "p", skip: 1, match: ["faketime now touch a -> a"] },
  { names: "cpulimit", ...runs, values: "l,limit p,pid e,exe P,path", match: ["cpulimit -l 5 touch a -> a"] },
  {
    names: "prlimit",
    ...runs,
    values: "p,pid o,output",
    glued: "n,nofile c,core d,data f,fsize v,as t,cpu u,nproc s,stack",
    match: ["prlimit --nofile=9 touch a -> a"],
  },
  { names: "numactl", ...runs, values: "m,membind N,cpunodebind C,physcpubind i,interleave p,preferred", match: ["numactl -N 0 touch a -> a"] },
  { names: "setpriv", ...runs, values: "reuid regid groups inh-caps ambient-caps bounding-set", match: ["setpriv --reuid 1 touch a -> a"] },
  { names: "arch", ...runs, style: "long", values: "arch e d", match: ["arch -x86_64 touch a -> a"], no_match: ["arch"] },
  { names: "choom", ...runs, values: "n,adjust", harmless: "p,pid", match: ["choom -n 5 -- touch a -> a"], no_match: ["choom -p 1"] },
  { names: "logsave", ...runs, skip: 1, writes: "first", match: ["logsave l touch a -> a l"] },
  {
    names: "ld.so",
    ...runs,
    style: "long",
    values: "library-path preload audit inhibit-rpath argv0 glibc-hwcaps-prepend",
    match: ["ld.so --library-path x touch a -> a"],
  },
  { names: "chpst", ...runs, values: "u U b e n d o p f c t m / l L", match: ["chpst -u x touch a -> a"] },
  { names: "proot", ...runs, values: "r b q w v k S R i", match: ["proot -r / touch a -> a"] },
  { names: "flatpak-spawn", ...runs, style: "long", in: "directory", match: ["flatpak-spawn --host touch a -> a"] },
  { names: "doas", ...runs, values: "u C a", cases: [{ when: "s", runs: "shell" }], match: ["doas -u x touch a -> a"] },
  { names: "pkexec", ...runs, values: "user", match: ["pkexec touch a -> a"] },
  { names: "gosu su-exec setuidgid chpst-user", ...runs, skip: 1, match: ["gosu x touch a -> a"] },
  {
    names: "sg newgrp",
    wrapper: false,
    shell: "c",
    runs: "line",
    skip: 1,
    unless: "c",
    match: ["sg g -c 'touch a' -> a", "sg g 'touch a' -> a"],
    no_match: ["sg g -c ls"],
  },
  { names: "cross-env cross-env-shell", ...runs, assignments: true, match: ["cross-env A=1 touch a -> a"] },
  {
    names: "hyperfine",
    runs: "each",
    files: "export-json export-csv export-markdown export-asciidoc export-orgmode",
    shell: "p,prepare s,setup C,conclude c,cleanup",
    values: "w,warmup r,runs m,min-runs M,max-runs u,time-unit S,shell P,parameter-scan L,parameter-list n,command-name output input style",
    match: ["hyperfine --prepare 'touch a' --export-json l 'touch b' -> a b l"],
    no_match: ["hyperfine 'ls -l'"],
  },
  { names: "pee run-s run-p", runs: "each", match: ["ls | pee 'touch a' cat -> a"] },
];
