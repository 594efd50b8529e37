import type { Disk } from "../../src/core/paths/place.ts";

/** A small disk: a text is a file, `null` a folder, `{to}` a link. Folders above a file exist too. */
export type DiskContents = Readonly<Record<string, string | null | { readonly to: string }>>;

export function memoryDisk(contents: DiskContents = {}): Disk {
  const realPath = (absolute: string): string => {
    const resolved: string[] = [];
    const open = absolute.split("/").reverse();
    for (let segment = open.pop(); segment !== undefined; segment = open.pop()) {
      if (segment === "" || segment === ".") continue;
      if (segment === "..") {
        resolved.pop();
        continue;
      }
      resolved.push(segment);
      const found = contents[`/${resolved.join("/")}`];
      if (typeof found !== "object" || found === null) continue;
      resolved.pop();
      if (found.to.startsWith("/")) resolved.length = 0;
      open.push(...found.to.split("/").reverse());
    }
    return `/${resolved.join("/")}`;
  };
  const kindOf = (absolute: string) => {
    const path = realPath(absolute);
    if (typeof contents[path] === "string") return "file";
    const isFolder =
      contents[path] === null || Object.keys(contents).some((one) => one.startsWith(`${path}/`));
    return isFolder ? "folder" : "absent";
  };
  const sizeOf = (absolute: string) => {
    const found = contents[realPath(absolute)];
    return typeof found === "string" ? found.length : 0;
  };
  const namesIn = (absolute: string) => {
    const folder = realPath(absolute);
    const below = Object.keys(contents).filter((one) => one.startsWith(`${folder}/`));
    return [...new Set(below.map((one) => one.slice(folder.length + 1).split("/")[0] as string))];
  };
  return { realPath, kindOf, sizeOf, namesIn };
}
