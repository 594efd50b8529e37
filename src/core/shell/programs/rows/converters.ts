import { known, knownStart, literal, type Text, unknownText } from "../../text.ts";
import type { Hook, Row } from "../row/row.ts";
import { writeFiles, writeTrees } from "../row/words.ts";

const nextToInputs = "it writes next to its inputs";

const ffmpegFlags =
  /^-(?:y|n|vn|an|sn|dn|hide_banner|nostdin|stdin|shortest|re|stats|nostats|report|benchmark|version|copyts|h|help|formats|codecs|encoders|decoders|filters)$/;

/** In ffmpeg, all but a few options take a value. The remaining words are outputs. */
const writesRest: Hook = (_, effects, { args }) => {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? [];
    const start = knownStart(word);
    if (ffmpegFlags.test(start)) continue;
    if (start.startsWith("-") && start.length > 1) at++;
    else if (!/^(?:-|pipe:|\w+:\/\/)/.test(start)) effects.write(word);
  }
};

/** The last operand is the output image. `mogrify` rewrites all operands. */
const writesPictures: Hook = (_, effects, call) => {
  const verb = known(call.args[0] ?? []) ?? "";
  const args = /^(?:mogrify|convert|composite|montage)$/.test(verb) ? call.args.slice(1) : call.args;
  if (verb === "identify" || args.length === 0) return;
  for (const [at, word] of args.entries()) if (known(word) === "-write") effects.write(args[at + 1] ?? unknownText);
  const target = args.at(-1) ?? [];
  if (call.name === "mogrify" || verb === "mogrify") {
    for (const word of args) if (!knownStart(word).startsWith("-") && /[./]/.test(known(word) ?? ".")) effects.write(word);
  } else if (args.length > 1 && !/^(?:-|info:|null:|\w+:-$)/.test(knownStart(target))) effects.write(target);
};

const writesAfter =
  (option: RegExp): Hook =>
  (_, effects, { args }) => {
    const at = args.findIndex((word) => option.test(known(word) ?? ""));
    if (at >= 0) writeFiles(args.slice(at + 1, at + 2), effects);
  };

/** `exiftool -TAG=value FILE…` rewrites files. Without an assignment it only reads. */
const writesTags: Hook = (options, effects, call) => {
  writesAfter(/^-(?:o|out)$/)(options, effects, call);
  const assigns = (word: Text) => /^-[\w:#+-]+<?=|^-overwrite_original|^-delete_original/.test(knownStart(word));
  if (call.args.some(assigns))
    writeTrees(
      call.args.filter((word) => !knownStart(word).startsWith("-")),
      effects,
    );
};

/** `sass IN OUT`, `sass IN:OUT`. */
const writesSheets: Hook = (options, effects) => {
  const pairs = options.operands.flatMap((word) => /^.{2,}:([^:]*)$/s.exec(known(word) ?? "")?.[1] ?? []);
  writeTrees(pairs.length > 0 ? pairs.map(literal) : options.operands.slice(1, 2), effects);
};

export const converters: readonly Row[] = [
  { names: "ffmpeg", also: writesRest, match: ["ffmpeg -y -i a b -> b"], no_match: ["ffmpeg -i a", "ffmpeg -i a pipe:1"] },
  {
    names: "convert magick mogrify composite montage gm",
    also: writesPictures,
    match: ["convert a.png b.png -> b.png", "mogrify -resize 9 a.png -> a.png", "magick a.png -write b.png null: -> b.png"],
    no_match: ["magick identify a.png"],
  },
  { names: "exiftool", also: writesTags, match: ["exiftool -Artist=x a -> a", "exiftool -o b a -> b"], no_match: ["exiftool -Artist a"] },
  {
    names: "sass",
    values: "I,load-path s,style pkg-importer",
    also: writesSheets,
    match: ["sass a.scss b.css -> b.css", "sass a.scss:b.css -> b.css"],
    no_match: ["sass a.scss"],
  },
  { names: "pdftk", also: writesAfter(/^output$/), match: ["pdftk a cat output b -> b"], no_match: ["pdftk a dump_data"] },
  {
    names: "openssl",
    style: "long",
    values:
      "in inkey key keyform inform outform passin passout pass subj days config extensions extfile CA CAkey CAfile CApath newkey name connect host port servername cert certfile set_serial policy md k iv K S rand provider engine digest signature algorithm pkeyopt",
    files: "out keyout writerand CAserial sess_out keylogfile msgfile respout reqout crlout",
    commands: { req: { cases: [{ when: "keyout key" }, { when: "newkey new x509", fixed: "privkey.pem" }] } },
    match: ["openssl rand -out a 32 -> a", "openssl req -x509 -newkey rsa -> privkey.pem", "openssl req -new -keyout k -out c -> k c"],
    no_match: ["openssl x509 -in a -text", "openssl req -in a"],
  },
  {
    names: "gpg gpg2",
    values:
      "u,local-user r,recipient R,hidden-recipient homedir passphrase passphrase-file keyserver recv-keys export search-keys default-key cipher-algo digest-algo status-fd pinentry-mode trust-model",
    files: "o,output",
    harmless: "verify list-keys k K",
    opaque: "it reads and writes keys",
    mentions: "operands",
    cases: [
      { when: "o,output", opaque: "it reads and writes keys" },
      { when: "b,detach-sign", writes: "operands", suffix: ".sig .asc", opaque: "it reads and writes keys" },
      { when: "s,sign e,encrypt c,symmetric clearsign", writes: "operands", suffix: ".gpg .asc", opaque: "it reads and writes keys" },
    ],
    match: ["gpg -d a", "gpg -o b -d a -> b", "gpg -b a -> a.sig a.asc", "gpg --clearsign a -> a.gpg a.asc"],
    no_match: ["gpg --verify a", "gpg --list-keys"],
  },
  {
    names: "uudecode",
    files: "o",
    flags: "p",
    opaque: "the data decides which file is written",
    cases: [{ when: "o p" }, { opaque: "the data decides which file is written" }],
    match: ["uudecode a", "uudecode -o b a -> b"],
    no_match: ["uudecode -p a"],
  },
  {
    names: "pandoc",
    values:
      "f,from,read t,to,write M,metadata V,variable template c,css H,include-in-header B,include-before-body A,include-after-body bibliography csl metadata-file pdf-engine highlight-style reference-doc toc-depth data-dir resource-path F,filter L,lua-filter d,defaults",
    files: "o,output log",
    folders: "extract-media",
    cases: [{ when: "F L d", opaque: "filters run" }],
    match: ["pandoc a.md -o b -> b", "pandoc -L x.lua a.md"],
    no_match: ["pandoc -t html a.md"],
  },
  { names: "age rage minisign", values: "r,recipient R,recipients-file i,identity", files: "o,output", match: ["age -o b a -> b"], no_match: ["age -r x a"] },
  { names: "age-keygen", files: "o,output", match: ["age-keygen -o b -> b"], no_match: ["age-keygen"] },
  {
    names: "sops",
    values: "k,kms p,pgp a,age config input-type output-type set",
    files: "output",
    writes: "last",
    when: "i,in-place",
    commands: { "exec-env exec-file": { values: "user", runs: "each", skip: 1 } },
    match: ["sops -i a -> a", "sops exec-env a 'touch b' -> b"],
    no_match: ["sops -d a"],
  },
  { names: "lessc", writes: "second", match: ["lessc a b -> b"], no_match: ["lessc a"] },
  { names: "qpdf pdftotext ps2pdf pdf2ps wkhtmltopdf wkhtmltoimage pdftohtml", values: "b r c e t", writes: "last", match: ["qpdf a b -> b"] },
  { names: "sox lame flac", writes: "last", match: ["sox a b -> b"] },
  { names: "gs", style: "long", files: "sOutputFile o", opaque: "PostScript files are programs", match: ["gs -sOutputFile=b a -> b"] },
  {
    names: "inkscape",
    values: "w,export-width h,export-height d,export-dpi i,export-id",
    files: "o,export-filename export-png",
    opaque: "it may run actions",
    match: ["inkscape -o b a -> b"],
  },
  {
    names: "dot neato fdp circo twopi sfdp",
    style: "first-letter",
    values: "T K G N E",
    files: "o",
    writes: "operands",
    suffix: ".*",
    when: "O",
    match: ["dot -Tpng a -o b -> b", "dot -Tsvg -O a.dot -> a.dot.*"],
    no_match: ["dot -Tpng a"],
  },
  { names: "mmdc", values: "i,input t,theme b w H c,configFile", files: "o,output", match: ["mmdc -i a -o b -> b"] },
  {
    names: "rsvg-convert",
    values: "w,width h,height f,format",
    files: "o,output",
    match: ["rsvg-convert -w 9 -o b a -> b"],
    no_match: ["rsvg-convert -w 9 a"],
  },
  { names: "svgo", values: "config p,precision", files: "o,output", folders: "f,folder", writes: "operands", match: ["svgo a -> a", "svgo -f d -> d"] },
  { names: "cwebp dwebp avifenc cjxl", values: "q m", files: "o", match: ["cwebp a -o b -> b"], no_match: ["cwebp a"] },
  {
    names: "optipng jpegoptim pngcrush gifsicle oxipng",
    values: "m,max",
    files: "out o,output",
    folders: "d,dest dir",
    writes: "operands",
    match: ["optipng a -> a"],
  },
  { names: "pngquant", values: "quality s,speed ext", files: "o,output", opaque: nextToInputs, match: ["pngquant -o b a -> b"] },
  {
    names: "asciidoctor asciidoc",
    values: "a,attribute b,backend d,doctype r,require",
    files: "o,out-file",
    folders: "D,destination-dir",
    opaque: nextToInputs,
    match: ["asciidoctor -o b a -> b"],
  },
  { names: "typst", values: "root input font-path", writes: "last", match: ["typst compile a b -> b"] },
  {
    names: "pdflatex xelatex lualatex latex tex latexmk tectonic bibtex biber",
    style: "long",
    folders: "output-directory outdir o",
    opaque: nextToInputs,
    match: ["pdflatex -output-directory=b a -> b"],
  },
  { names: "jupyter nbconvert", values: "to", files: "output", folders: "output-dir", opaque: "notebooks run", match: ["jupyter nbconvert --output b a -> b"] },
  { names: "soffice libreoffice unoconv", values: "convert-to infilter", folders: "outdir", opaque: nextToInputs, match: ["soffice --outdir b a -> b"] },
  { names: "base64 gbase64 base32", values: "w,wrap b,break i,input", files: "o,output", match: ["base64 -i a -o b -> b"], no_match: ["base64 -d a"] },
  { names: "qrencode", values: "s t,type l m v", files: "o,output", match: ["qrencode -o b x -> b"], no_match: ["qrencode -t UTF8 x"] },
  { names: "plantuml", opaque: nextToInputs, mentions: "all", match: ["plantuml a"] },
  { names: "screencapture scrot import gnome-screenshot", values: "f,file", writes: "last", match: ["scrot a -> a"] },
  {
    names: "keytool",
    style: "long",
    values: "alias storepass keypass storetype",
    files: "keystore file destkeystore",
    match: ["keytool -genkey -keystore a -> a"],
    no_match: ["keytool -list"],
  },
  { names: "mkcert", style: "long", files: "cert-file key-file p12-file", opaque: "it writes certificates", match: ["mkcert -cert-file a x -> a"] },
  { names: "iconv", values: "f,from-code t,to-code", files: "o,output", match: ["iconv -f a -o b c -> b"], no_match: ["iconv -f a b"] },
  { names: "uconv", values: "f t x", files: "o,output", match: ["uconv -o b a -> b"], no_match: ["uconv a"] },
];
