/** Python modules that tests and runners load. A module of the same name in the tree would replace them. */
const pythonModules = new Set(
  (
    "unittest pytest _pytest pluggy iniconfig nose hypothesis mock pytest_asyncio xdist coverage tox nox " +
    "abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii " +
    "bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections " +
    "colorsys compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes " +
    "curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum " +
    "errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt " +
    "getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp " +
    "importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox " +
    "mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt " +
    "ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools " +
    "pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile " +
    "pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy " +
    "sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket " +
    "socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep " +
    "struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios " +
    "textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty " +
    "turtle turtledemo types typing unicodedata urllib uu uuid venv warnings wave weakref webbrowser " +
    "winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo"
  ).split(" "),
);

/** Folders in which Python searches modules when a runner starts at the project's root. */
const importRoot = /^(?:src|lib|tests?)?$/;

/** True for a new module that hides one of the runner or the language. */
export function shadowsRunner(path: string): boolean {
  const module = /^(?:(.*)\/)?([^/]+)\.pyi?$/.exec(path);
  const inPackage = /^(?:(.*)\/)?([^/]+)\/__init__\.py$/.exec(path);
  return [module, inPackage].some(
    (found) => found !== null && importRoot.test(found[1] ?? "") && pythonModules.has(found[2] ?? ""),
  );
}

const reaching =
  /\b(?:writeFile|appendFile|copyFile|cpSync|renameSync|rename|unlink|rmSync|symlink|truncate|createWriteStream|exec|execFile|execSync|execFileSync|spawn|spawnSync|fork)(?:Sync)?\s*\(|\bprocess[.]kill\b|\bopen\s*\([^)]*["'][wa]|\bos[.](?:remove|rename|system|WriteFile|Remove|Rename)\b|\bsubprocess\b|\bshutil\b|\bfs::(?:write|remove|rename)|\bCommand::new/;

/** True if a new test may affect others: it writes files or starts programs. */
export function mayReachOtherTests(text: string | undefined): boolean {
  return text === undefined || reaching.test(text);
}
