import { optionReader } from "../read-options.ts";
import { known, knownStart, literal, type Text } from "../text.ts";
import type { Call, Effects, Program } from "../types.ts";
import {
  asksForHelp,
  bySubcommand,
  describe,
  mention,
  mentionOutputs,
  named,
  opaqueProgram,
  reading,
  readsOnly,
  writeFiles,
  writeTrees,
} from "./row/describe.ts";
import { runWords } from "./row/wrapping.ts";

const runValues =
  "e,env env-file u,user w,workdir v,volume mount p,publish name l,label label-file h,hostname network,net network-alias add-host a,attach c,cpu-shares m,memory entrypoint cpus cpuset-cpus device dns dns-search gpus group-add health-cmd ip ipc isolation link log-driver log-opt memory-swap pid platform pull restart runtime security-opt shm-size stop-signal stop-timeout storage-opt sysctl tmpfs ulimit userns uts volume-driver volumes-from cap-add cap-drop cgroup-parent cidfile detach-keys expose annotation domainname mac-address oom-score-adj arch index from f,file pod secret userns uidmap gidmap ";

const readRun = optionReader({
  values: runValues,
  flags: "i,interactive t,tty d,detach rm init privileged read-only P q",
  wrapper: true,
});

/** Folders of this machine that the container sees may be written through it. */
const run: Program = (call, effects) => {
  if (asksForHelp(call.args)) return;
  const options = readRun(call.args);
  effects.opaque("a container runs");
  for (const volume of options.all("v")) effects.operand(hostPart(volume));
  for (const mount of options.all("mount")) mentionMount(mount, effects);
  writeFiles(options.all("cidfile"), effects);
  const entry = options.value("entrypoint");
  const words = options.operands.slice(1);
  if (entry !== undefined && entry.length > 0) effects.run([entry, ...words]);
  else runWords(words, effects);
};

function hostPart(volume: Text): Text {
  const text = known(volume);
  return text === undefined ? volume : literal(text.split(":")[0] ?? text);
}

function mentionMount(mount: Text, effects: Effects): void {
  const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(known(mount) ?? "")?.[1];
  if (source !== undefined) effects.operand(literal(source));
}

const exec = describe({
  values: "e,env env-file u,user w,workdir detach-keys index",
  runs: "operands",
  skip: 1,
  flags: "i,interactive t,tty d,detach privileged T,no-TTY",
});

/** `cp CONTAINER:PATH FOLDER`: only what lands on this machine counts. */
const copy: Program = (call, effects) => {
  const operands = call.args.filter((word) => !/^-./.test(knownStart(word)));
  const target = operands.at(-1);
  if (operands.length < 2 || target === undefined || /^[^/.][^/]*:/.test(knownStart(target))) return;
  if (known(target) === "-") return;
  effects.opaque("what is copied may meet links below the target");
  writeTrees([target], effects);
};

const build = reading(
  {
    values:
      "f,file t,tag build-arg target platform cache-from cache-to label network secret ssh progress iidfile metadata-file o,output",
  },
  (options, effects) => {
    effects.opaque("an image is built");
    writeFiles(options.all("iidfile", "metadata-file"), effects);
    for (const output of options.all("o")) {
      const folder = /(?:^|,)dest=([^,]*)/.exec(known(output) ?? "")?.[1];
      if (folder !== undefined) writeTrees([literal(folder)], effects);
      else if (!/=/.test(known(output) ?? "=")) writeTrees([output], effects);
    }
  },
);

const saves = reading({ values: "o,output platform format" }, (options, effects) =>
  writeFiles(options.all("o"), effects),
);

const compose: Program = (call, effects) => {
  if (call.input.kind === "text") effects.code(call.input.text);
  bySubcommand(
    { values: "f,file p,project-name env-file profile project-directory parallel ansi" },
    composeCommands,
    opaqueProgram("containers run"),
  )(call, effects);
};

const composeCommands = new Map<string, Program>([
  ["exec", exec],
  ["run", run],
  ["cp", copy],
  ...named("config convert", describe({ values: "format hash", files: "o,output" })),
  ...named("ps logs images top version ls port events", readsOnly),
]);

const lookAtContainers =
  "ps logs images inspect version info top stats port history search diff events pull tag rm rmi stop start restart kill pause unpause wait rename attach login logout network volume context system scout";

const dockerCommands = new Map<string, Program>([
  ["run", run],
  ["create", run],
  ["exec", exec],
  ["cp", copy],
  ["build", build],
  ["save", saves],
  ["export", saves],
  ["compose", compose],
  ...named(lookAtContainers, readsOnly),
]);

const grouped: Program = (call, effects) =>
  bySubcommand({}, dockerCommands, opaqueProgram("it manages containers"))(call, effects);

for (const group of ["container", "image"]) dockerCommands.set(group, grouped);
dockerCommands.set("buildx", grouped);

const docker = bySubcommand(
  {
    values:
      "H,host c,context l,log-level config tlscacert tlscert tlskey log-opt root runroot url connection",
  },
  dockerCommands,
  opaqueProgram("it manages containers"),
);

const kubectl: Program = (call, effects) => {
  const words = call.args;
  mentionOutputs(words, effects);
  const verb = words
    .map((word) => known(word) ?? "")
    .find((word) =>
      /^(?:exec|cp|get|describe|logs|explain|top|version|api-resources|api-versions|cluster-info|diff|auth|debug|run)$/.test(
        word,
      ),
    );
  const dashes = words.findIndex((word) => known(word) === "--");
  if (verb === "cp") return copy({ ...call, args: words }, effects);
  if (dashes >= 0 && /^(?:exec|debug|run)$/.test(verb ?? "")) {
    effects.opaque("it runs in a cluster");
    return runWords(words.slice(dashes + 1), effects);
  }
  if (verb === "exec") return execWithoutDashes(call, effects);
  if (verb !== undefined && !/^(?:debug|run)$/.test(verb)) return;
  effects.opaque("it changes a cluster");
  mention(words, effects);
};

/** `kubectl exec POD command`, the old spelling. */
function execWithoutDashes(call: Call, effects: Effects): void {
  effects.opaque("it runs in a cluster");
  const at = call.args.findIndex((word) => known(word) === "exec");
  execInPod({ ...call, args: call.args.slice(at + 1) }, effects);
}

const execInPod = describe({
  values: "c,container n,namespace f,filename pod-running-timeout context",
  runs: "operands",
  skip: 1,
});

export const containers = new Map<string, Program>([
  ...named("docker podman nerdctl finch", docker),
  ...named("docker-compose podman-compose", compose),
  ...named("kubectl oc k3s microk8s", kubectl),
]);
