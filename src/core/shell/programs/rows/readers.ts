import type { Row } from "../row/row.ts";

/** Programs that write only their output, and the files that one of their options names. */
export const readers: readonly Row[] = [
  {
    names: `
  ls dir vdir exa eza lsd cat tac head tail more most zcat zless zgrep zegrep zfgrep bzcat xzcat zstdcat lz4cat
  grep egrep fgrep pcregrep pt zdiff look strings
  wc diff cmp colordiff difft stat du df dust duf
  echo printf pwd cal sleep usleep test [ [[ true false : yes seq jot expr factor numfmt
  basename dirname realpath readlink pathchk namei which whereis type command-not-found whatis apropos tldr
  ps pgrep pidof top htop btop vmstat iostat free uptime w who users last lastlog lsof pstree pmap
  id whoami groups logname uname hostname hostid nproc lscpu lsblk lsusb lspci lsmod dmesg getconf locale tty printenv tput clear reset stty
  cut tr rev paste comm join fold nl pr od hexdump hd fmt expand unexpand column colrm tsort ts jq fx gojq csvcut csvgrep csvstat csvlook csvjson csvsql in2csv
  md5sum md5 sha1sum sha224sum sha256sum sha384sum sha512sum sha1 shasum b2sum b3sum cksum sum crc32 basenc base58 uuencode xxhsum
  bc tokei sloccount wdiff icdiff envsubst gettext ngettext mesg getopt getent nslookup
  ping ping6 dig host drill whois traceroute tracepath mtr netstat ifconfig route arp getfacl getfattr lsattr
  nm objdump readelf ldd size addr2line c++filt otool vulkaninfo identify mediainfo pdfinfo pdffonts
  uuidgen pwgen cowsay figlet lolcat toilet neofetch fastfetch fortune banner zipinfo lsar lsinitramfs
  systemd-analyze timedatectl hostnamectl getenforce sestatus ulimit nvidia-smi sw_vers system_profiler mdfind mdls
  pbcopy pbpaste xclip xsel wl-copy wl-paste clip select lsb_release dpkg-query rpmquery ncal finger
  mpstat fswatch ssh-keyscan dircolors editorconfig semver json_pp gron deactivate
  say afplay infocmp toe cmatrix sync tzselect zdump hexyl glow mdcat vivid mkpasswd sha3sum`,
    no_match: ["ls -o src/b", "cat a b", "grep -rn x .", "diff -o a b"],
  },
  {
    names: "date",
    cases: [{ when: "s,set", opaque: "it sets the clock" }],
    values: "d,date r,reference f,file",
    match: ["date -s now"],
    no_match: ["date +%s"],
  },
  {
    names: "ip",
    style: "long",
    values: "n,netns f,family",
    commands: { "netns vrf": { commands: { exec: { runs: "operands", skip: 1 } } } },
    match: ["ip netns exec ns touch a -> a", "ip -n x vrf exec y touch a -> a"],
    no_match: ["ip -4 addr show", "ip netns list"],
  },
  { names: "less", values: "b h j k p P t T x y z", files: "o,log-file O,LOG-FILE", match: ["less -o l a -> l"], no_match: ["less a"] },
  {
    names: "tree",
    values: "L P I H T gitignore filelimit charset sort timefmt",
    files: "o",
    writes: "operands",
    when: "R",
    otherwise: ".",
    match: ["tree -o l a -> l", "tree -R a -> a"],
    no_match: ["tree -L 2 a"],
  },
  {
    names: "file",
    values: "m,magic-file f,files-from F,separator e,exclude P,parameter",
    fixed: "*",
    when: "C,compile",
    match: ["file -C -m x -> *"],
    no_match: ["file -b a"],
  },
  { names: "ss", values: "f,family A,query,socket F,filter N,net", files: "D,diag", match: ["ss -D l -> l"], no_match: ["ss -tlnp"] },
  { names: "pv", values: "s,size L B N,name i w H D A R d F,format", files: "P,pidfile o,output", match: ["pv -o l a -> l"], no_match: ["pv -s 1 a"] },
  { names: "scc", values: "f,format i,include-ext", files: "o,output", match: ["scc -o l a -> l"], no_match: ["scc a"] },
  { names: "xsv", values: "d,delimiter s,select", files: "o,output", match: ["xsv cat -o l a -> l"], no_match: ["xsv select a b"] },
  { names: "highlight", values: "S,syntax s,style O,out-format i,input", files: "o,output", match: ["highlight -o l a -> l"] },
  { names: "info", values: "f,file n,node d", files: "o,output", match: ["info -o l a -> l"], no_match: ["info a"] },
  { names: "sar", values: "i s e f", files: "o", match: ["sar -o l 1 -> l"], no_match: ["sar -u 1"] },
  { names: "pygmentize", values: "l f F O P a", files: "o", match: ["pygmentize -l c -o l a -> l"], no_match: ["pygmentize a"] },
  { names: "mbuffer", values: "i s b m P p l", files: "o", match: ["mbuffer -i a -o l -> l"] },
  { names: "atop", values: "r b e P L", files: "w", match: ["atop -w l -> l"], no_match: ["atop 1"] },
  { names: "tcpdump", values: "i c s r", files: "w", match: ["tcpdump -i e -w l -> l"], no_match: ["tcpdump -r a"] },
  { names: "jaq", values: "f,from-file arg argjson", writes: "after-first", when: "i,in-place", match: ["jaq -i . a -> a"], no_match: ["jaq . a"] },
  { names: "pkgconf pkg-config", exact: true, files: "log-file", match: ["pkgconf --log-file=l x -> l"], no_match: ["pkg-config --libs x"] },
  { names: "units", values: "f,file o,output-format d,digits", files: "L,log", match: ["units -L l -> l"], no_match: ["units 1in cm"] },
  { names: "xmlwf", values: "e", files: "d", match: ["xmlwf -d l a -> l"], no_match: ["xmlwf a"] },
  {
    names: "journalctl",
    values: "u,unit n,lines S,since U,until o,output p,priority",
    files: "cursor-file",
    match: ["journalctl --cursor-file=l -> l"],
    no_match: ["journalctl -u x -o json"],
  },
  { names: "json_xs", code: "e", match: ["json_xs -e 'unlink q(a)'"], no_match: ["json_xs -t yaml"] },
  {
    names: "fzf sk peco",
    values: "q,query f,filter d,delimiter n,nth header prompt height expect",
    code: "bind preview exec listen become preview-window c,cmd",
    match: ["fzf --preview='cat {}'", "fzf --bind 'enter:become(rm x)'"],
    no_match: ["fzf -f a", "fzf --height 40%"],
  },
  { names: "man", values: "C M m S s e L R", shell: "P,pager H,html", match: ["man -P 'touch a' ls -> a"], no_match: ["man ls"] },
  { names: "ag ack ugrep bat batcat delta", shell: "pager filter", match: ["ag --pager='touch a' x -> a"], no_match: ["ag x src", "bat a"] },
  {
    names: "ffprobe",
    style: "long",
    values: "i show_entries of print_format v loglevel select_streams",
    files: "o",
    match: ["ffprobe -o l a -> l"],
    no_match: ["ffprobe -i a"],
  },
  { names: "ptx", values: "b i o w W g F M S", writes: "second", when: "G", match: ["ptx -G a b -> b"], no_match: ["ptx a b"] },
  { names: "dc", opaque: "it may run commands", input: "code", code: "e,expression", mentions: "code", match: ["dc -e '!rm a'"] },
  {
    names: "inotifywait",
    values: "e,event t,timeout exclude include format timefmt fromfile",
    files: "o,outfile",
    match: ["inotifywait -o l a -> l"],
    no_match: ["inotifywait -m a"],
  },
  { names: "ncdu", values: "f e exclude", files: "o O", match: ["ncdu -o l -> l"], no_match: ["ncdu a"] },
  {
    names: "cloc",
    values: "exclude-dir include-lang list-file match-f",
    files: "out,report-file ignored counted found categorized",
    match: ["cloc --out=l a -> l"],
    no_match: ["cloc --exclude-dir x a"],
  },
  { names: "nmap", style: "first-letter", values: "p e", files: "oN oX oG oA oS", match: ["nmap -oN l h -> l"], no_match: ["nmap -p 80 h"] },
  {
    names: "dpkg",
    opaque: "packages of the system are installed",
    harmless: "l,list L,listfiles s,status S,search p,print-avail I,info c,contents W,show print-architecture get-selections version",
    match: ["dpkg -i a.deb"],
    no_match: ["dpkg -l", "dpkg -L x", "dpkg --print-architecture"],
  },
  {
    names: "rpm",
    shell: "pipe",
    opaque: "packages of the system are installed",
    harmless: "q,query V,verify version",
    match: ["rpm -i a.rpm", "rpm -qa --pipe 'touch a' -> a"],
    no_match: ["rpm -qa"],
  },
  {
    names:
      "aws gcloud gsutil bq az doctl heroku vercel netlify flyctl fly wrangler firebase supabase railway oci linode-cli ibmcloud pulumi cdk sam serverless sls ansible ansible-playbook chef puppet salt nomad consul vault eksctl argocd flux linkerd istioctl stripe twilio glab jira tea acli sentry-cli datadog newrelic eas fastlane adb xcrun simctl",
    opaque: "it works on another machine",
    mentions: "all",
    match: ["aws s3 cp s3://x a"],
    no_match: ["aws --version"],
  },
  {
    names:
      "mount umount losetup mkfs mkswap swapon swapoff fdisk parted useradd usermod userdel groupadd passwd chpasswd visudo sysctl modprobe insmod iptables nft ufw shutdown reboot poweroff halt defaults plutil PlistBuddy networksetup scutil ldconfig update-alternatives chsh locale-gen setcap setenforce",
    opaque: "it changes the machine",
    mentions: "all",
    match: ["mount a b"],
  },
];
