/** What a tool of any client does, according to its name. */
export type ToolKind =
  | "none"
  | "read"
  | "grep"
  | "glob"
  | "create"
  | "edit"
  | "delete"
  | "move"
  | "patch"
  /** Views or edits, depending on its `command`. */
  | "editor"
  | "shell"
  | "powershell"
  /** Types into an open shell. */
  | "typing"
  | "spawn"
  /** Calls other tools. */
  | "batch"
  | "worktree"
  | "unknown";

/** In lower case and without separators, because clients spell the same name in several ways. */
const names: Readonly<Record<Exclude<ToolKind, "unknown">, string>> = {
  none: `todowrite todoread writetodos updatetodo managetodolist updateplan taskcreate taskupdate taskget tasklist
    taskoutput taskstop askuserquestion askuser question askquestion requestuserinput enterplanmode exitplanmode
    exitworktree skill activateskill slashcommand toolsearch webfetch websearch googlewebsearch fetchwebpage
    listmcpresourcestool readmcpresourcetool listmcpresources readmcpresource bashoutput killshell killbash readbash
    stopbash listbash readpowershell stoppowershell listpowershell wait waitagent closeagent resumeagent sendinput
    sendmessage reportintent savememory storememory getinternaldocs croncreate crondelete cronlist schedulewakeup
    structuredoutput pushnotification invalid`,
  read: `read readfile readfiles readmanyfiles view viewfile viewimage showfile notebookread ls list listdir
    listdirectory listfiles lsp`,
  grep: "grep grepsearch grepfiles searchfilecontent rg ripgrep codebasesearch semanticsearch codesearch",
  glob: "glob globfilesearch filesearch findfiles",
  create: "write writefile create createfile createdirectory tabwrite",
  edit: `edit multiedit editfile editfiles replace strreplace searchreplace inserteditintofile replacestringinfile
    multireplacestringinfile notebookedit editnotebook editnotebookfile`,
  delete: "delete deletefile removefile",
  move: "move movefile rename renamefile",
  patch: "applypatch patch",
  editor: "strreplaceeditor strreplacebasededittool texteditor",
  shell: `bash shell shellcommand localshell execcommand unifiedexec containerexec runshellcommand runcommand
    executecommand runinterminal runterminalcommand runterminalcmd terminal monitor`,
  powershell: "powershell pwsh",
  typing: "writestdin writebash writepowershell sendtoterminal",
  spawn: "agent task spawnagent invokeagent delegatetoagent runsubagent subagent workflow",
  batch: "batch parallel",
  worktree: "enterworktree",
};

const kinds = new Map<string, ToolKind>(
  Object.entries(names).flatMap(([kind, spelled]) =>
    spelled.split(/\s+/).map((name): [string, ToolKind] => [name, kind as ToolKind]),
  ),
);

const ownNamespace = /^(?:functions|default_api|multi_tool_use)[.:]/;

export function kindOfTool(name: string): ToolKind {
  return (
    kinds.get(
      name
        .replace(ownNamespace, "")
        .replace(/[^A-Za-z0-9]/g, "")
        .toLowerCase(),
    ) ?? "unknown"
  );
}

/** `mcp__fs__readFile` → `read`, `file`. The server's name is dropped. */
export function wordsOfTool(name: string): readonly string[] {
  return wordsOf(name.startsWith("mcp__") ? (name.split("__").at(-1) ?? "") : name);
}

/** The words of a name in snake, kebab or camel case, in lower case. */
export function wordsOf(name: string): readonly string[] {
  const apart = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return apart.toLowerCase().match(/[a-z]+/g) ?? [];
}
