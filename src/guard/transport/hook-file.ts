import { guardVariables } from "../world/guard-endpoint.ts";
import { clientSocket } from "./client-socket.ts";
import { rawStart } from "./raw-form.ts";
import { inShell } from "./seems-active.ts";
import { staticDeny } from "./static-deny.ts";
import type { Machine } from "./ways-to-ask.ts";

/**
 * The file that hook lines read into their shell (dash, bash, busybox or zsh). It is also meant to be read by people.
 */
export function hookText({ netcat }: Machine): string {
  const asking = netcat ? [askThroughNetcat, askThroughNode(netcat)] : [askThroughNode(netcat)];
  const parts = [head, revive, findSocket, ...asking, staticDeny()];
  return `${parts.join("\n\n")}\n`;
}

const head = `\
# Lockstep's hook. \`lockstep\` writes this file, and rewrites it if it is outdated or changed.
#
# A hook line in a client's settings reads it into its shell with \`. "$s/hook"\`. Then
#   $s  is the state folder, which holds this file;
#   $1  is the client that calls, for example \`claude\`;
#   $2  is \`start\` if the server is needed although nothing is active, \`revive\` between calls, else empty.
# The client's payload is on stdin. Exit 0 allows the call. Exit 2 refuses it, with the reason on stderr
# and on stdout in the client's format. Every path through this file ends with \`exit\`. If it returns to the hook
# line, the line takes the file for broken and refuses the call.

client=$1
how=$2
payload= # set once this shell has read it
asked=   # \`broken\` if a server was asked and gave no complete answer

# Set for agents that Lockstep has started; other agents name their role.
agent=${inShell.attempt}
caller=$agent${inShell.role}

# PATH, if it has a folder of the project or a relative one: programs in there are files of the project.
# Not called \`path\`: in zsh that is PATH itself.
searched=
case :$PATH: in
  *:[!/]* | *:"$PWD"[/:]* | *:"\${s%/.git/lockstep}"[/:]* | *:/tmp/* | *:/var/tmp/*) searched=$PATH ;;
esac

# The file \`launch\` holds one command: the Node client of this installation, with the arguments of this function.
ask_node() {
  [ -r "$s/launch" ] && . "$s/launch"
}`;

const revive = `\
# Between calls of a client that calls over HTTP and cannot start the server: start the server if it has died.
# The second line of \`listening\` is its process id.
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
 * If nothing of the environment must be sent, `nc` reads the payload directly from stdin, which saves a process. If the
 * server then does not answer, the payload is lost and every call is refused. Otherwise a here-document is sent.
 */
const askThroughNetcat = `\
# Ask the server through \`nc\`, but not at \`start\`: only the Node client checks that it is the right server.
# -O: a socket of another user could allow anything.
if [ "$how" != start ] && [ -O "$socket" ]; then
  answer=
  if [ -z "$caller$TMPDIR$searched" ]; then
    # Only the payload is sent: \`nc\` reads it from stdin.
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
# Ask through the Node client, which also starts the server. It is slow, so only if it may matter.
if ${listens}[ "$how" = start ] || [ -n "$caller" ] || ${inShell.isShown}; then
  if [ -n "$payload" ]; then
    printf %s "$payload" | ask_node "$client" "\${how:-$asked}"
  else
    ask_node "$client" "\${how:-$asked}"
  fi
  # Any other exit is a failure.
  case $? in
    0) exit 0 ;;
    2) exit 2 ;;
  esac
fi`;
}
