import { anyName, known, knownStart, literal, type Text, withoutStart } from "../text.ts";
import type { Effects, Program } from "../types.ts";
import { runSshSetting } from "./copying.ts";
import {
  contentOf,
  inFolder,
  isDash,
  joined,
  mention,
  reading,
  writeFiles,
  writeTrees,
} from "./row/describe.ts";

const curlValues =
  "A,user-agent b,cookie C,continue-at d,data e,referer E,cert F,form H,header K,config m,max-time P,ftp-port Q,quote r,range t,telnet-option T,upload-file u,user U,proxy-user w,write-out x,proxy X,request y,speed-time Y,speed-limit z,time-cond data-raw data-binary data-urlencode data-ascii json url url-query connect-timeout retry retry-delay retry-max-time max-redirs max-filesize cacert capath ciphers interface key key-type pass limit-rate resolve connect-to noproxy proto proto-redir proto-default socks5 socks5-hostname socks4 unix-socket form-string oauth2-bearer aws-sigv4 dns-servers doh-url parallel-max rate request-target variable output-dir cert-type keepalive-time local-port mail-from mail-rcpt mail-auth netrc-file tls-max";

const curl = reading(
  {
    values: `${curlValues} o,output D,dump-header c,cookie-jar trace trace-ascii stderr libcurl hsts alt-svc etag-save ssl-sessions`,
    flags:
      "ssl ssl-reqd ssl-no-revoke ssl-allow-beast ssl-auto-client-cert O,remote-name remote-name-all J,remote-header-name s,silent S L,location f,fail k i I,head G v 0 1 2 3 4 6 N R create-dirs",
  },
  (options, effects, call) => {
    const folder = options.value("output-dir") ?? [];
    for (const file of options.all("o"))
      if (!isDash(file)) effects.write(inFolder(absolute(file) ? [] : folder, file));
    if (options.has("O", "remote-name-all")) effects.write(inFolder(folder, anyName));
    writeFiles(
      options.all(
        "D",
        "c",
        "trace",
        "trace-ascii",
        "stderr",
        "libcurl",
        "etag-save",
        "hsts",
        "alt-svc",
        "ssl-sessions",
      ),
      effects,
    );
    if (options.has("T"))
      for (const url of [...options.operands, ...options.all("url")])
        if (/^file:/i.test(knownStart(url))) effects.write(withoutStart(url, "file://".length));
    for (const format of options.all("w")) writeOutputs(format, effects);
    for (const config of options.all("K")) {
      effects.opaque("its settings are read from elsewhere");
      effects.operand(config);
      const content = contentOf(config, call);
      if (content !== undefined) effects.code(content);
    }
  },
);

const absolute = (file: Text): boolean => knownStart(file).startsWith("/");

/** `%output{FILE}` in `--write-out`. */
function writeOutputs(format: Text, effects: Effects): void {
  for (const part of (known(format) ?? "").split("%output{").slice(1)) {
    effects.write(literal((part.split("}")[0] ?? "").replace(/^>>/, "")));
  }
}

const wget = reading(
  {
    values:
      "O,output-document o,output-file a,append-output hsts-file rejected-log P,directory-prefix e,execute i,input-file B,base t,tries T,timeout w,wait Q,quota l,level A,accept R,reject D,domains I,include-directories X,exclude-directories U,user-agent user password header referer post-data post-file body-data body-file method limit-rate cut-dirs save-cookies load-cookies warc-file ca-certificate certificate private-key max-redirect bind-address dns-timeout connect-timeout read-timeout waitretry use-askpass config",
    flags:
      "q,quiet r,recursive m,mirror p,page-requisites spider c,continue N,timestamping b,background S k K nc nv nd nH np E,adjust-extension V",
  },
  (options, effects) => {
    writeFiles(options.all("o", "a", "save-cookies", "warc-file", "hsts-file", "rejected-log"), effects);
    const program = options.value("use-askpass");
    if (program !== undefined) effects.run([program]);
    if (options.has("e", "config")) effects.opaque("its settings are given by option");
    if (options.has("spider", "V")) return;
    const output = options.value("O");
    const folder = options.value("P");
    if (output !== undefined) return writeFiles([output], effects);
    if (options.has("r", "m", "p")) return writeTrees([folder ?? literal(".")], effects);
    if (options.operands.length > 0 || options.has("i")) effects.write(inFolder(folder ?? [], anyName));
  },
);

const ssh = reading(
  {
    values: "b c D e F I i J L l m O o p Q R S W w B P E",
    flags: "1 2 4 6 A a C f G g K k M N n q s T t V v X x Y y",
    wrapper: true,
  },
  (options, effects, call) => {
    writeFiles(options.all("E"), effects);
    for (const setting of options.all("o")) runSshSetting(setting, effects);
    const [host, ...words] = options.operands;
    if (host === undefined || options.has("V", "Q", "G")) return;
    const isHere = /^(?:\w+@)?(?:localhost|127\.0\.0\.1|::1|\[::1\])$/.test(known(host) ?? "");
    if (words.length > 0 && isHere) return effects.shell(joined(words));
    effects.opaque("it runs on another machine");
    if (words.length > 0) effects.code(joined(words));
    if (call.input.kind === "text") effects.code(call.input.text);
  },
);

const sftp = reading({ values: "B b c D F i J l o P R S s X", flags: "r p q v" }, (options, effects) => {
  for (const setting of options.all("o")) runSshSetting(setting, effects);
  const program = options.value("S");
  if (program !== undefined) effects.run([program]);
  effects.opaque("it copies from and to another machine");
  const target = options.operands[1];
  if (target !== undefined) writeTrees([target], effects);
});

/** `socat - EXEC:"command"`, `OPEN:FILE,creat`. */
const socat: Program = (call, effects) => {
  effects.opaque("it joins two ends");
  mention(call.args, effects);
  for (const word of call.args) {
    const text = known(word) ?? "";
    const code = /^(?:EXEC|SYSTEM|SHELL):([\s\S]*)$/i.exec(text)?.[1];
    if (code !== undefined) effects.shell(literal(code));
    const file = /^(?:CREATE|CREAT|OPEN|FILE|GOPEN|PIPE):([^,]*)/i.exec(text)?.[1];
    if (file !== undefined) effects.write(literal(file));
  }
};

const keygen = reading(
  { values: "t b C N P O m n I s V z D F R r a Z W Y E w f", flags: "l y B e i q v p A c H L Q k g" },
  (options, effects) => {
    const file = options.value("f");
    if (known(options.value("Y") ?? []) === "sign")
      for (const signed of options.operands) effects.write([...signed, ...literal(".sig")]);
    if (options.has("l", "y", "B", "e", "F", "L", "Q", "Y")) return;
    if (options.has("R", "H")) effects.write(file ?? literal("~/.ssh/known_hosts"));
    else if (file === undefined) effects.write(literal("~/.ssh"), "write", { tree: true });
    else {
      effects.write(file);
      if (!options.has("p", "c")) effects.write([...file, ...literal(".pub")]);
    }
  },
);

export const network = new Map<string, Program>([
  ["curl", curl],
  ["wget", wget],
  ["ssh", ssh],
  ["autossh", ssh],
  ["mosh", ssh],
  ["sftp", sftp],
  ["ssh-keygen", keygen],
  ["socat", socat],
]);
