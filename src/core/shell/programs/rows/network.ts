import type { Row } from "../row/row.ts";

const remote = { opaque: "it talks to another machine" } as const;
const downloads = { opaque: "it downloads files" } as const;

export const network: readonly Row[] = [
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
  { names: "sshpass", values: "f d p P", flags: "e v", runs: "operands", match: ["sshpass -p x touch a -> a", "sshpass -e touch a -> a"] },
];
