import { anyName, known, knownParts, knownStart } from "../text.ts";
import type { Program } from "../types.ts";
import { describe, named, opaqueProgram, reading, readsOnly, writeFiles } from "./describe.ts";
import { runsCode } from "./wrapping.ts";

/** Programs that write nothing but what they print. */
const readers = `
  ls dir vdir exa eza lsd tree cat bat batcat tac head tail less more most zcat zless zgrep zegrep zfgrep bzcat xzcat zstdcat lz4cat
  grep egrep fgrep ag ack ugrep pcregrep pt zdiff look strings
  wc diff diff3 cmp colordiff delta difft stat file du df dust duf ncdu
  echo printf pwd date cal sleep usleep test [ [[ true false : yes seq jot expr factor numfmt
  basename dirname realpath readlink pathchk namei which whereis type command-not-found whatis apropos man tldr
  ps pgrep pidof top htop btop atop vmstat iostat free uptime w who users last lastlog lsof fuser pstree pmap
  id whoami groups logname uname hostname hostid nproc lscpu lsblk lsusb lspci lsmod dmesg getconf locale tty printenv tput clear reset stty
  cut tr rev paste comm join fold nl pr od hexdump hd fmt expand unexpand column colrm tsort ts jq jaq fx gojq xsv csvcut csvgrep csvstat csvlook csvjson csvsql in2csv
  md5sum md5 sha1sum sha224sum sha256sum sha384sum sha512sum sha1 shasum b2sum b3sum cksum sum crc32 basenc base58 uuencode xxhsum
  bc units cloc tokei scc sloccount wdiff icdiff envsubst gettext ngettext tty mesg getopt getent nslookup
  ping ping6 dig host drill whois traceroute tracepath mtr netstat ss ip ifconfig route arp nmap getfacl getfattr lsattr
  nm objdump readelf ldd size addr2line c++filt otool pkg-config pkgconf vulkaninfo identify mediainfo pdfinfo pdffonts
  uuidgen pwgen cowsay figlet lolcat toilet neofetch fastfetch fortune banner pv zipinfo lsar lsinitramfs
  systemd-analyze journalctl timedatectl hostnamectl getenforce sestatus ulimit nvidia-smi sw_vers system_profiler mdfind mdls
  pbcopy pbpaste xclip xsel wl-copy wl-paste clip fzf sk peco select lsb_release dpkg-query rpmquery ncal finger
  iostat sar mpstat inotifywait fswatch ssh-keyscan dircolors editorconfig semver json_pp json_xs xmlwf
  say afplay tput infocmp toe cmatrix sync tzselect zdump hexyl glow mdcat pygmentize vivid mkpasswd sha3sum
`;

/** `date -s` and `hostname NAME` change the machine. */
const date: Program = (call, effects) => {
  if (call.args.some((word) => /^(?:-s|--set)/.test(knownStart(word)))) effects.opaque("it sets the clock");
};

/** `less -o FILE`, `tree -o FILE`. */
const withOutput = (values: string, files: string): Program => describe({ values, files });

/** Debian and Red Hat packages: questions are free. */
const dpkg: Program = (call, effects) => {
  const looks =
    /^(?:-[lLsSpIcW]|--list|--listfiles|--status|--search|--print-architecture|--info|--contents|--version|--get-selections|-q\w*|--query)/;
  if (
    !looks.test(knownStart(call.args[0] ?? [])) ||
    call.args.some((word) => knownStart(word).startsWith("--pipe"))
  )
    effects.opaque("packages of the system are installed");
};

/** `!command` within a program of dc runs it. */
const dc: Program = (call, effects) => {
  const texts = [...call.args, ...(call.input.kind === "text" ? [call.input.text] : [])];
  for (const text of texts) if (knownParts(text).includes("!")) effects.opaque("it may run commands");
  for (const text of texts) effects.code(text);
};

/** `ip netns exec NAME command`. */
const ipTool: Program = (call, effects) => {
  if (
    call.args.some((word) => /^(?:netns|vrf|-n|-netns)$/.test(known(word) ?? "")) &&
    call.args.some((word) => known(word) === "exec")
  ) {
    const at = call.args.findIndex((word) => known(word) === "exec");
    effects.run(call.args.slice(at + 2));
  }
};

/** `diff3 --diff-program=PROGRAM`, `sdiff -o FILE`. */
const diffs = reading(
  { values: "diff-program w,width I,ignore-matching-lines L,label o,output" },
  (options, effects, call) => {
    const program = options.value("diff-program");
    if (program !== undefined) effects.run([program, ...options.operands]);
    if (call.name === "sdiff") writeFiles(options.all("o"), effects);
  },
);

/** `file -C` compiles a list of magic numbers into the folder we are in. */
const file = reading(
  { values: "m,magic-file f,files-from F,separator e,exclude P,parameter", flags: "C,compile" },
  (options, effects) => {
    if (options.has("C")) effects.write(anyName);
  },
);

/** Code in a language that is not followed, as the value of an option. */
const runsUnknown = (values: string): Program =>
  reading({ values }, (options, effects) => {
    for (const code of options.all(values)) effects.code(code);
    if (options.has(values)) effects.opaque("inline code runs");
  });

/** What is picked may be handed to a command. */
const picker: Program = (call, effects) => {
  if (!call.args.some((word) => /^--?(?:bind|preview|exec|listen|become)/.test(knownStart(word)))) return;
  effects.opaque("it may run commands");
  for (const word of call.args) effects.code(word);
};

/** `jq` has no way to write; `tree`, `less` and some others have one option for it. */
const withOptions: [string, Program][] = [
  ["date", date],
  ["ip", ipTool],
  ["less", withOutput("b h j k p P t T x y z", "o,log-file O,LOG-FILE")],
  [
    "tree",
    describe({
      values: "L P I H T gitignore filelimit charset sort timefmt",
      files: "o",
      writes: "operands",
      when: "R",
      otherwise: ".",
    }),
  ],
  ...named("diff3 sdiff", diffs),
  ["file", file],
  ["ss", withOutput("f,family A,query,socket F,filter N,net", "D,diag")],
  ["pv", withOutput("s,size L B N,name i w H D A R d F,format", "P,pidfile o,output")],
  ["scc", withOutput("f,format i,include-ext", "o,output")],
  ["sar", withOutput("i s e f", "o")],
  ["atop", withOutput("r b e P L", "w")],
  ["jaq", describe({ values: "f,from-file arg argjson", writes: "after-first", when: "i,in-place" })],
  ...named("pkgconf pkg-config", describe({ exact: true, files: "log-file" })),
  ["units", withOutput("f,file o,output-format d,digits", "L,log")],
  ["xsv", withOutput("d,delimiter s,select", "o,output")],
  ["xmlwf", withOutput("e", "d")],
  ["journalctl", withOutput("u,unit n,lines S,since U,until o,output p,priority", "cursor-file")],
  ["json_xs", runsUnknown("e")],
  ...named("fzf sk peco", picker),
  ["man", runsCode({ values: "C M m S s e L R", code: "P,pager H,html" })],
  ...named("ag ack ugrep bat batcat delta", runsCode({ code: "pager filter" })),
  ["mbuffer", withOutput("i s b m P p l", "o")],
  [
    "ffprobe",
    describe({
      style: "long",
      values: "i show_entries of print_format v loglevel select_streams",
      files: "o",
    }),
  ],
  ["highlight", withOutput("S,syntax s,style O,out-format i,input", "o,output")],
  ["info", withOutput("f,file n,node d", "o,output")],
  ["ptx", describe({ values: "b i o w W g F M S", writes: "second", when: "G" })],
  ["dc", dc],
  ["inotifywait", withOutput("e,event t,timeout exclude include format timefmt fromfile", "o,outfile")],
  ["ncdu", withOutput("f e exclude", "o O")],
  ["csvsql", withOutput("query db tables d e", "")],
  [
    "cloc",
    withOutput(
      "exclude-dir include-lang list-file match-f",
      "out,report-file ignored counted found categorized",
    ),
  ],
  ["pygmentize", withOutput("l f F O P a", "o")],
  ["nmap", describe({ style: "first-letter", values: "p e", files: "oN oX oG oA oS" })],
  ["tcpdump", withOutput("i c s r", "w")],
  [
    "fuser",
    (call, effects) =>
      call.args.some((word) => /^-\w*k/.test(knownStart(word)))
        ? effects.opaque("it ends processes")
        : undefined,
  ],
  ...named("dpkg rpm", dpkg),
];

const clouds = opaqueProgram("it works on another machine");

export const readingPrograms = new Map<string, Program>([
  ...named(readers, readsOnly),
  ...withOptions,
  ...named(
    "aws gcloud gsutil bq az doctl heroku vercel netlify flyctl fly wrangler firebase supabase railway oci linode-cli ibmcloud pulumi cdk sam serverless sls ansible ansible-playbook chef puppet salt nomad consul vault eksctl argocd flux linkerd istioctl stripe twilio glab jira tea acli sentry-cli datadog newrelic eas fastlane adb xcrun simctl",
    clouds,
  ),
  ...named(
    "mount umount losetup mkfs mkswap swapon swapoff fdisk parted useradd usermod userdel groupadd passwd chpasswd visudo sysctl modprobe insmod iptables nft ufw shutdown reboot poweroff halt defaults plutil PlistBuddy networksetup scutil ldconfig update-alternatives chsh locale-gen setcap setenforce",
    opaqueProgram("it changes the machine"),
  ),
]);
