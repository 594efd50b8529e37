import { anyName, known, knownStart, literal, type Text, withoutStart } from "../../text.ts";
import type { Hook, Row } from "../row/row.ts";
import { contentOf, inFolder, isDash, joined, writeFiles, writeTrees } from "../row/words.ts";
import { runSshSettings } from "./copying.ts";

const remote = { opaque: "it talks to another machine" } as const;
const downloads = { opaque: "it downloads files" } as const;

const isAbsolute = (file: Text): boolean => knownStart(file).startsWith("/");

const writesDownloads: Hook = (options, effects, call) => {
  const folder = options.value("output-dir") ?? [];
  for (const file of options.all("o")) if (!isDash(file)) effects.write(inFolder(isAbsolute(file) ? [] : folder, file));
  if (options.has("O", "remote-name-all")) effects.write(inFolder(folder, anyName));
  if (options.has("T"))
    for (const url of [...options.operands, ...options.all("url")]) if (/^file:/i.test(knownStart(url))) effects.write(withoutStart(url, "file://".length));
  // `%output{FILE}` in `--write-out`.
  for (const part of options.all("w").flatMap((format) => (known(format) ?? "").split("%output{").slice(1)))
    effects.write(literal((part.split("}")[0] ?? "").replace(/^>>/, "")));
  for (const config of options.all("K")) {
    effects.opaque("its settings are read from a file");
    effects.operand(config);
    const content = contentOf(config, call);
    if (content !== undefined) effects.code(content);
  }
};

const writesPages: Hook = (options, effects) => {
  const output = options.value("O");
  const folder = options.value("P");
  if (output !== undefined) writeFiles([output], effects);
  else if (options.has("r", "m", "p")) writeTrees([folder ?? literal(".")], effects);
  else if (options.operands.length > 0 || options.has("i")) effects.write(inFolder(folder ?? [], anyName));
};

const runsThere: Hook = (options, effects, call) => {
  runSshSettings(options, effects, call);
  const [host, ...words] = options.operands;
  if (host === undefined || options.has("V", "Q", "G")) return;
  const isHere = /^(?:\w+@)?(?:localhost|127\.0\.0\.1|::1|\[::1\])$/.test(known(host) ?? "");
  if (words.length > 0 && isHere) return effects.shell(joined(words));
  effects.opaque("it runs on another machine");
  if (words.length > 0) effects.code(joined(words));
  if (call.input.kind === "text") effects.code(call.input.text);
};

/** `socat - EXEC:"command"`, `OPEN:FILE,creat`. */
const connectsStreams: Hook = (_, effects, call) => {
  for (const word of call.args) {
    const [, kind = "", rest = ""] = /^(\w+):([\s\S]*)$/.exec(known(word) ?? "") ?? [];
    if (/^(?:EXEC|SYSTEM|SHELL)$/i.test(kind)) effects.shell(literal(rest));
    if (/^(?:CREATE|CREAT|OPEN|FILE|GOPEN|PIPE)$/i.test(kind)) effects.write(literal(rest.split(",")[0] ?? ""));
  }
};

const writesKeys: Hook = (options, effects) => {
  const file = options.value("f");
  if (known(options.value("Y") ?? []) === "sign") for (const signed of options.operands) effects.write([...signed, ...literal(".sig")]);
  if (options.has("l", "y", "B", "e", "F", "L", "Q", "Y")) return;
  if (options.has("R", "H")) effects.write(file ?? literal("~/.ssh/known_hosts"));
  else if (file === undefined) writeTrees([literal("~/.ssh")], effects);
  else for (const suffix of options.has("p", "c") ? [""] : ["", ".pub"]) effects.write([...file, ...literal(suffix)]);
};

export const network: readonly Row[] = [
  {
    names: "curl",
    values:
      "A,user-agent b,cookie C,continue-at d,data e,referer E,cert F,form H,header K,config m,max-time o,output P,ftp-port Q,quote r,range t,telnet-option T,upload-file u,user U,proxy-user w,write-out x,proxy X,request y,speed-time Y,speed-limit z,time-cond data-raw data-binary data-urlencode data-ascii json url url-query connect-timeout retry retry-delay retry-max-time max-redirs max-filesize cacert capath ciphers interface key key-type pass limit-rate resolve connect-to noproxy proto proto-redir proto-default socks5 socks5-hostname socks4 unix-socket form-string oauth2-bearer aws-sigv4 dns-servers doh-url parallel-max rate request-target variable output-dir cert-type keepalive-time local-port mail-from mail-rcpt mail-auth netrc-file tls-max",
    flags: "ssl O,remote-name remote-name-all J,remote-header-name s,silent S L,location f,fail k i I,head G v 0 1 2 3 4 6 N R",
    files: "D,dump-header c,cookie-jar trace trace-ascii stderr libcurl hsts alt-svc etag-save ssl-sessions",
    also: writesDownloads,
    match: ["curl -o a u -> a", "curl --output-dir d -O u -> d/*", "curl -T x file:///a -> /a", "curl -w '%output{a}' u -> a", "curl -D a u -> a"],
    no_match: ["curl -s u", "curl -o - u", "curl --version"],
  },
  {
    names: "wget",
    values:
      "O,output-document P,directory-prefix e,execute i,input-file B,base t,tries T,timeout w,wait Q,quota l,level A,accept R,reject D,domains I,include-directories X,exclude-directories U,user-agent user password header referer post-data post-file body-data body-file method limit-rate cut-dirs load-cookies ca-certificate certificate private-key max-redirect bind-address dns-timeout connect-timeout read-timeout waitretry config",
    flags: "q,quiet r,recursive m,mirror p,page-requisites spider c,continue N,timestamping b,background S k K E,adjust-extension V",
    files: "o,output-file a,append-output hsts-file rejected-log save-cookies warc-file",
    programs: "use-askpass",
    besides: [
      { when: "e,execute config", opaque: "options change its settings" },
      { unless: "spider V", also: writesPages },
    ],
    match: ["wget u -> *", "wget -O a u -> a", "wget -P d u -> d/*", "wget -r u -> .", "wget -o a --spider u -> a"],
    no_match: ["wget --spider u", "wget -qO- u"],
  },
  {
    names: "ssh autossh mosh",
    wrapper: true,
    values: "b c D e F I i J L l m O o p Q R S W w B P",
    flags: "1 2 4 6 A a C f G g K k M N n q s T t V v X x Y y",
    files: "E",
    also: runsThere,
    match: ["ssh localhost touch a -> a", "ssh -o 'ProxyCommand touch a' h -> a", "ssh -E a h -> a", "ssh h ls"],
    no_match: ["ssh -V"],
  },
  {
    names: "sftp",
    values: "B b c D F i J l o P R s X",
    flags: "r p q v",
    programs: "S",
    opaque: "it copies from and to another machine",
    writes: "second",
    tree: true,
    also: runSshSettings,
    match: ["sftp h:x a -> a"],
  },
  {
    names: "socat",
    opaque: "it connects two streams",
    mentions: "all",
    also: connectsStreams,
    match: ["socat - EXEC:'touch a' -> a", "socat - OPEN:a,creat -> a"],
  },
  {
    names: "ssh-keygen",
    values: "t b C N P O m n I s V z D F R r a Z W Y E w f",
    flags: "l y B e i q v p A c H L Q k g",
    also: writesKeys,
    match: ["ssh-keygen -f a -> a a.pub", "ssh-keygen -p -f a -> a", "ssh-keygen -Y sign -f k a -> a.sig"],
    no_match: ["ssh-keygen -lf a"],
  },
  {
    names: "nc ncat netcat",
    ...remote,
    values: "g G i,idle-timeout I O P p,source-port q s,source T V w,wait X x,proxy m",
    shell: "e,exec c,sh-exec",
    files: "o,output",
    match: ["nc -e 'touch a' h 1 -> a", "ncat -o l h -> l"],
  },
  {
    names: "http https xh xhs",
    values: "a,auth A,auth-type session session-read-only timeout verify p,print s,style cert proxy",
    files: "o,output",
    cases: [{ when: "o" }, { when: "d,download", fixed: "*" }],
    match: ["http -o a GET x -> a", "http --download x -> *", "http -d x -> *", "http -d -o a x -> a"],
    no_match: ["http POST x a=b", "https --auth u:p x"],
  },
  { names: "aria2c", ...downloads, values: "x s j k i,input-file", folders: "d,dir", files: "o,out l,log", match: ["aria2c -d a -o b x -> a b"] },
  { names: "axel", ...downloads, values: "n s", files: "o,output", match: ["axel -o a x -> a"] },
  { names: "yt-dlp youtube-dl gallery-dl", ...downloads, values: "f,format S", files: "o,output", folders: "P,paths cache-dir", match: ["yt-dlp -o a x -> a"] },
  {
    names: "ftp lftp tftp rclone s3cmd rsyncd telnet mail mailx sendmail mutt ssh-copy-id ssh-add ngrok cloudflared",
    ...remote,
    mentions: "all",
    match: ["ftp h"],
  },
  { names: "sshpass", values: "f d p P", runs: "operands", match: ["sshpass -p x touch a -> a", "sshpass -e touch a -> a"] },
];
