import { guardVariables } from "../world/guard-endpoint.ts";
import { clientSocket } from "./client-socket.ts";
import { rawStart } from "./raw-form.ts";
import { inShell } from "./seems-active.ts";
import { staticDeny } from "./static-deny.ts";
import type { Machine } from "./ways-to-ask.ts";

/** What hook lines read into their shell, be it dash, bash, busybox or zsh; it is also for people to read. */
export function hookText({ netcat }: Machine): string {
  const asking = netcat ? [askThroughNetcat, askThroughNode(netcat)] : [askThroughNode(netcat)];
  const parts = [head, revive, findSocket, ...asking, staticDeny()];
  return `${parts.join("\n\n")}\n`;
}

const head = `\
# Lockstep's hook. \`lockstep\` writes this file, and writes it again where it is not as it should be.
#
# A hook line in a client's settings reads it into its shell with \`. "$s/hook"\`. Then
#   $s  is the state folder, in which this file lies;
#   $1  is the client that calls, for example \`claude\`;
#   $2  is \`start\` where the server is wanted though nothing is active, \`revive\` between calls, else empty.
# What the client tells of its call is on stdin. Exit 0 lets the call pass. Exit 2 refuses it, with the reason on stderr
# and on stdout in the form that the client understands. Each way through this file ends with \`exit\`: where the line
# comes behind it, it takes the file for broken and refuses.

client=$1
how=$2
payload= # once this shell has read it
asked=   # \`broken\` once a server was asked and gave no whole answer

# Set for agents that Lockstep has started; the others say what role they have.
agent=${inShell.attempt}
caller=$agent${inShell.role}

# PATH where a folder of the project is on it, or a relative one: programs in there are files of the project.
path=
case :$PATH: in
  *:[!/]* | *:"$PWD"[/:]* | *:"\${s%/.git/lockstep}"[/:]* | *:/tmp/* | *:/var/tmp/*) path=$PATH ;;
esac

# The file \`launch\` has one command: the Node client of this installation, with the arguments of this function.
ask_node() {
  [ -r "$s/launch" ] && . "$s/launch"
}`;

const revive = `\
# Between calls of a client that calls over HTTP and cannot start the server: start it where it has died.
# The second line of \`listening\` is its process.
if [ "$how" = revive ]; then
  pid=
  process=Z
  [ ! -r "$s/listening" ] || { read -r socket; read -r pid; } <"$s/listening"
  kill -0 "$pid" 2>/dev/null && process= && [ -r "/proc/$pid/stat" ] && read -r process <"/proc/$pid/stat"
  case $process in
    # A zombie still takes signals.
    Z | *') Z '*) ask_node "$client" start ;;
  esac
  exit 0
fi`;

const findSocket = `\
# The first line of \`listening\` is the server's socket.
socket=$LOCKSTEP_SOCKET
[ -n "$socket" ] || [ ! -r "$s/listening" ] || read -r socket <"$s/listening"`;

/**
 * Who has nothing to tell of its environment hands its input straight to `nc`, which saves a process; a server that
 * does not answer has the payload then, and everything is refused. Others send a here-document.
 */
const askThroughNetcat = `\
# Ask the server through \`nc\`, but not when it is to be started: only the Node client sees whether it is the right one.
# -O: another user's socket could allow anything.
if [ "$how" != start ] && [ -O "$socket" ]; then
  answer=
  if [ -z "$caller$TMPDIR$path" ]; then
    # There is nothing to tell but the payload: \`nc\` itself reads it from stdin.
    answer=$(nc -U -N -w 2 "${clientSocket("$socket", "$client")}" 2>/dev/null) && asked=broken
  else
    payload=$(cat)
    answer=$(nc -U -N -w 2 "$socket" 2>/dev/null <<END
${rawStart}$client
${guardVariables.map((name) => `${name}=$${name}`).join("\n")}

$payload
END
) && asked=broken
  fi
  # \`lockstep/1 EXIT@@STDOUT@@STDERR@@end\`
  case $answer in
    'lockstep/1 '[02]@@*@@*@@end)
      code=\${answer#* }
      out=\${answer#*@@}
      err=\${out#*@@}
      out=\${out%%@@*}
      err=\${err%@@end}
      [ -z "$out" ] || printf '%s\\n' "$out"
      [ -z "$err" ] || printf '%s\\n' "$err" >&2
      exit "\${code%%@@*}"
      ;;
  esac
fi`;

function askThroughNode(netcat: boolean): string {
  const listens = netcat ? "" : '[ -n "$socket" ] || ';
  return `\
# Ask through the Node client, which also starts the server. It is slow, so only where it may have something to say.
if ${listens}[ "$how" = start ] || [ -n "$caller" ] || ${inShell.isShown}; then
  if [ -n "$payload" ]; then
    printf %s "$payload" | ask_node "$client" "\${how:-$asked}"
  else
    ask_node "$client" "\${how:-$asked}"
  fi
  # However else it ends, it has failed.
  case $? in
    0) exit 0 ;;
    2) exit 2 ;;
  esac
fi`;
}
