import { concat, known, knownStart, literal, type Text, unknownText } from "../text.ts";
import type { Program } from "../types.ts";
import { bySubcommand, describe, named, opaqueProgram, reading, writeFiles } from "./describe.ts";

/** ffmpeg: every option but a few takes a value; what is left are outputs. */
const ffmpegFlags =
  /^-(?:y|n|vn|an|sn|dn|hide_banner|nostdin|stdin|shortest|re|stats|nostats|report|benchmark|version|copyts|h|help|formats|codecs|encoders|decoders|filters)$/;

const ffmpeg: Program = (call, effects) => {
  for (let at = 0; at < call.args.length; at++) {
    const word = call.args[at] ?? [];
    const start = knownStart(word);
    if (ffmpegFlags.test(start)) continue;
    if (start.startsWith("-") && start.length > 1) at++;
    else if (!/^(?:-|pipe:|\w+:\/\/)/.test(start)) effects.write(word);
  }
};

/** ImageMagick: the last operand is the picture that is written. */
const imageMagick: Program = (call, effects) => {
  const [verb, ...rest] = call.args;
  const isMogrify = call.name === "mogrify" || known(verb ?? []) === "mogrify";
  const args = /^(?:mogrify|convert|composite|montage)$/.test(known(verb ?? []) ?? "") ? rest : call.args;
  if (known(verb ?? []) === "identify" || args.length === 0) return;
  const target = args.at(-1) ?? [];
  for (const [at, word] of args.entries())
    if (known(word) === "-write") effects.write(args[at + 1] ?? unknownText);
  if (isMogrify) {
    const files = args.filter((word) => !knownStart(word).startsWith("-") && /[./]/.test(known(word) ?? "."));
    for (const file of files) effects.write(file);
  } else if (args.length > 1 && !/^(?:-|info:|null:|\w+:-$)/.test(knownStart(target))) effects.write(target);
};

/** With one of these options the program runs somebody's code. */
function opaqueWith(options: RegExp, facts: Parameters<typeof describe>[0]): Program {
  const plain = describe(facts);
  return (call, effects) => {
    if (call.args.some((word) => options.test(knownStart(word)))) effects.opaque("filters run");
    plain(call, effects);
  };
}

/** A request makes a key of its own unless it is given one. */
const openssl: Program = (call, effects) => {
  const words = call.args.map((word) => known(word));
  const makesKey = words[0] === "req" && words.some((word) => /^--?(?:newkey|new|x509)$/.test(word ?? ""));
  if (makesKey && !words.some((word) => /^--?(?:keyout|key)$/.test(word ?? "")))
    effects.write(literal("privkey.pem"));
  opensslOptions(call, effects);
};

const opensslOptions = describe({
  style: "long",
  values:
    "in inkey key keyform inform outform passin passout pass subj days config extensions extfile CA CAkey CAfile CApath newkey name connect host port servername cert certfile set_serial policy md k iv K S rand provider engine digest signature algorithm pkeyopt",
  files: "out keyout writerand CAserial sess_out keylogfile msgfile respout reqout crlout",
});

const gpg = reading(
  {
    values:
      "o,output u,local-user r,recipient R,hidden-recipient homedir passphrase passphrase-file keyserver recv-keys export search-keys default-key cipher-algo digest-algo status-fd pinentry-mode trust-model",
    flags:
      "a,armor b,detach-sign s,sign e,encrypt d,decrypt c,symmetric verify list-keys k K clearsign dearmor import gen-key batch yes",
  },
  (options, effects) => {
    writeFiles(options.all("o"), effects);
    if (options.has("verify", "list-keys", "k", "K")) return;
    effects.opaque("it reads and writes keys");
    if (options.has("o")) return;
    for (const file of options.operands) {
      if (options.has("b")) effects.write(concat(file, literal(options.has("a") ? ".asc" : ".sig")));
      else if (options.has("s", "e", "c", "clearsign"))
        effects.write(concat(file, literal(options.has("a", "clearsign") ? ".asc" : ".gpg")));
      else effects.operand(file);
    }
  },
);

/** `exiftool -TAG=value FILE…` rewrites; without an assignment it reads. */
const exiftool: Program = (call, effects) => {
  const assigns = call.args.some((word) =>
    /^-[\w:#+-]+<?=|^-overwrite_original|^-delete_original/.test(knownStart(word)),
  );
  const at = call.args.findIndex((word) => /^-(?:o|out)$/.test(known(word) ?? ""));
  if (at >= 0) writeFiles(call.args.slice(at + 1, at + 2), effects);
  if (assigns)
    for (const word of call.args)
      if (!knownStart(word).startsWith("-")) effects.write(word, "write", { tree: true });
};

/** `sass IN OUT`, `sass IN:OUT`. */
const sass = reading(
  { values: "I,load-path s,style pkg-importer", flags: "watch update no-source-map stdin" },
  (options, effects) => {
    const pairs = options.operands.flatMap((word): Text[] => {
      const text = known(word);
      const colon = text?.lastIndexOf(":") ?? -1;
      return text === undefined || colon <= 1 ? [] : [literal(text.slice(colon + 1))];
    });
    const targets = pairs.length > 0 ? pairs : options.operands.slice(1, 2);
    for (const target of targets) effects.write(target, "write", { tree: true });
  },
);

/** `pdftk A output B`. */
const pdftk: Program = (call, effects) => {
  const at = call.args.findIndex((word) => known(word) === "output");
  if (at >= 0) writeFiles(call.args.slice(at + 1, at + 2), effects);
};

const uudecode = reading({ values: "o", flags: "p c i m r s" }, (options, effects) => {
  const output = options.value("o");
  if (output !== undefined) writeFiles([output], effects);
  else if (!options.has("p")) effects.opaque("the data names the file");
});

const twoFiles = describe({ values: "f,from t,to r,resolution p,pages", writes: "second" });
const lastFile = describe({ values: "b r c e t", writes: "last" });

export const converters = new Map<string, Program>([
  ["ffmpeg", ffmpeg],
  ...named("convert magick mogrify composite montage gm", imageMagick),
  ["openssl", openssl],
  ...named("gpg gpg2", gpg),
  ["exiftool", exiftool],
  ["sass", sass],
  ["pdftk", pdftk],
  ["uudecode", uudecode],
  [
    "pandoc",
    opaqueWith(/^(?:-F|-L|--filter|--lua-filter|-d|--defaults)/, {
      values:
        "f,from,read t,to,write M,metadata V,variable F,filter L,lua-filter template c,css H,include-in-header B,include-before-body A,include-after-body bibliography csl metadata-file d,defaults pdf-engine highlight-style reference-doc toc-depth data-dir resource-path",
      files: "o,output log",
      folders: "extract-media",
    }),
  ],
  ...named(
    "age rage minisign",
    describe({ values: "r,recipient R,recipients-file i,identity", files: "o,output" }),
  ),
  ["age-keygen", describe({ files: "o,output" })],
  [
    "sops",
    bySubcommand(
      {},
      new Map(
        named(
          "exec-env exec-file",
          reading({ values: "user" }, (options, effects) => {
            for (const code of options.operands.slice(1)) effects.shell(code);
          }),
        ),
      ),
      describe({
        values: "k,kms p,pgp a,age config input-type output-type set",
        files: "output",
        writes: "last",
        when: "i,in-place",
      }),
    ),
  ],
  ["lessc", twoFiles],
  ...named("qpdf pdftotext ps2pdf pdf2ps wkhtmltopdf wkhtmltoimage pdftohtml", lastFile),
  ...named("sox lame flac", describe({ writes: "last" })),
  ["gs", describe({ style: "long", values: "", files: "sOutputFile o", opaque: "PostScript is a program" })],
  [
    "inkscape",
    describe({
      values: "w,export-width h,export-height d,export-dpi i,export-id",
      files: "o,export-filename export-png",
      opaque: "it may run actions",
    }),
  ],
  ...named(
    "dot neato fdp circo twopi sfdp",
    describe({ style: "first-letter", values: "T K G N E", files: "o" }),
  ),
  ["mmdc", describe({ values: "i,input t,theme b w H c,configFile", files: "o,output" })],
  ["rsvg-convert", describe({ values: "w,width h,height f,format", files: "o,output" })],
  [
    "svgo",
    describe({ values: "config p,precision", files: "o,output", folders: "f,folder", writes: "operands" }),
  ],
  ...named("cwebp dwebp avifenc cjxl", describe({ values: "q m", files: "o" })),
  ...named(
    "optipng jpegoptim pngcrush gifsicle oxipng",
    describe({ values: " m,max", files: "out o,output", folders: "d,dest dir", writes: "operands" }),
  ),
  [
    "pngquant",
    describe({ values: "quality s,speed ext", files: "o,output", opaque: "it writes beside its inputs" }),
  ],
  ...named(
    "asciidoctor asciidoc",
    describe({
      values: "a,attribute b,backend d,doctype r,require",
      files: "o,out-file",
      folders: "D,destination-dir",
      opaque: "it writes beside its inputs",
    }),
  ),
  ["typst", describe({ values: "root input font-path", writes: "last" })],
  ...named(
    "pdflatex xelatex lualatex latex tex latexmk tectonic bibtex biber",
    describe({ style: "long", folders: "output-directory outdir o", opaque: "it writes beside its inputs" }),
  ),
  ["jupyter", describe({ values: "to", files: "output", folders: "output-dir", opaque: "notebooks run" })],
  ["nbconvert", describe({ values: "to", files: "output", folders: "output-dir", opaque: "notebooks run" })],
  ...named(
    "soffice libreoffice unoconv",
    describe({ values: "convert-to infilter", folders: "outdir", opaque: "it writes beside its inputs" }),
  ),
  ...named("base64 gbase64 base32", describe({ values: "w,wrap b,break i,input ", files: "o,output" })),
  ...named("qrencode", describe({ values: "s t,type l m v", files: "o,output" })),
  ["plantuml", opaqueProgram("it writes beside its inputs")],
  ...named("screencapture scrot import gnome-screenshot", describe({ values: "f,file", writes: "last" })),
  [
    "keytool",
    describe({
      style: "long",
      values: "alias storepass keypass storetype",
      files: "keystore file destkeystore",
    }),
  ],
  [
    "mkcert",
    describe({ style: "long", files: "cert-file key-file p12-file", opaque: "it writes certificates" }),
  ],
]);
