import { known, literal } from "../../text.ts";
import type { Deed, Hook, Row } from "../row/row.ts";
import { writeTrees } from "../row/words.ts";
import { copiesFromContainer } from "./copying.ts";

/** A container may write to the folders of this machine that are mounted in it. */
const seesFolders: Hook = (options, effects) => {
  for (const volume of options.all("v")) {
    const text = known(volume);
    effects.operand(text === undefined ? volume : literal(text.split(":")[0] ?? text));
  }
  for (const mount of options.all("mount")) {
    const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(known(mount) ?? "")?.[1];
    if (source !== undefined) effects.operand(literal(source));
  }
  const entry = options.value("entrypoint") ?? [];
  const words = options.operands.slice(1);
  if (entry.length > 0) effects.run([entry, ...words]);
  else if (words.length > 0) effects.run(words);
};

/** `-o FOLDER`, `-o type=local,dest=FOLDER`. */
const exportsImage: Hook = (options, effects) => {
  for (const output of options.all("o")) {
    const folder = /(?:^|,)dest=([^,]*)/.exec(known(output) ?? "")?.[1];
    if (folder !== undefined) writeTrees([literal(folder)], effects);
    else if (!/=/.test(known(output) ?? "=")) writeTrees([output], effects);
  }
};

const run: Deed = {
  wrapper: true,
  opaque: "a container runs",
  values:
    "e,env env-file u,user w,workdir v,volume mount p,publish name l,label label-file h,hostname network,net network-alias add-host a,attach c,cpu-shares m,memory entrypoint cpus cpuset-cpus device dns dns-search gpus group-add health-cmd ip ipc isolation link log-driver log-opt memory-swap pid platform pull restart runtime security-opt shm-size stop-signal stop-timeout storage-opt sysctl tmpfs ulimit userns uts volume-driver volumes-from cap-add cap-drop cgroup-parent detach-keys expose annotation domainname mac-address oom-score-adj arch index from f,file pod secret uidmap gidmap",
  flags: "i,interactive t,tty d,detach rm init P q",
  files: "cidfile",
  also: seesFolders,
};
const exec: Deed = { values: "e,env env-file u,user w,workdir detach-keys index", flags: "i,interactive t,tty d,detach T,no-TTY", runs: "operands", skip: 1 };
const cp: Deed = { also: copiesFromContainer };
const manages = { opaque: "it manages containers", mentions: "all", alone: {} } as const;

const docker: Record<string, Deed> = {
  "run create": run,
  exec,
  cp,
  build: {
    opaque: "an image is built",
    values: "f,file t,tag build-arg target platform cache-from cache-to label network secret ssh progress o,output",
    files: "iidfile metadata-file",
    also: exportsImage,
  },
  "save export": { values: "platform format", files: "o,output" },
  "ps logs images inspect version info top stats port history search diff events pull tag rm rmi stop start restart kill pause unpause wait rename attach login logout network volume context system scout":
    {},
};

const compose: Deed = {
  opaque: "containers run",
  mentions: "all",
  values: "f,file p,project-name env-file profile project-directory parallel ansi",
  besides: [{ input: "code" }],
  commands: { exec, run, cp, "config convert": { values: "format hash", files: "o,output" }, "ps logs images top version ls port events": {} },
  alone: {},
};

const cluster = "it runs in a cluster";

export const containers: readonly Row[] = [
  {
    names: "docker podman nerdctl finch",
    ...manages,
    values: "H,host c,context l,log-level config tlscacert tlscert tlskey log-opt root runroot url connection",
    commands: { ...docker, "container image buildx": { ...manages, commands: docker }, compose },
    match: [
      "docker run --rm -v /x:/y image touch a -> a",
      "docker run --entrypoint touch image a -> a",
      "docker exec -it c touch a -> a",
      "docker cp c:/x a -> a",
      "docker build -o a . -> a",
      "docker compose exec web touch a -> a",
      "docker image save -o a x -> a",
    ],
    no_match: ["docker ps", "docker", "docker cp a c:/x", "docker compose ps"],
  },
  {
    names: "docker-compose podman-compose",
    ...compose,
    match: ["docker-compose run web touch a -> a", "docker-compose up"],
    no_match: ["docker-compose logs"],
  },
  {
    names: "kubectl oc k3s microk8s",
    spelled: (words) => (known(words[0] ?? []) === "kubectl" ? words.slice(1) : words),
    opaque: "it changes a cluster",
    mentions: "all",
    values: "n,namespace c,container context cluster kubeconfig s,server user token as",
    commands: {
      exec: { opaque: cluster, values: "f,filename pod-running-timeout", runs: "after-dashes", skip: 1 },
      "debug run": { opaque: cluster, mentions: "all", wrapper: false, values: "image", runs: "after-dashes", skip: 1 },
      cp,
      "get describe logs explain top version api-resources api-versions cluster-info diff auth": { mentions: "outputs" },
    },
    alone: {},
    match: [
      "kubectl exec -n x pod -- touch a -> a",
      "kubectl exec pod touch a -> a",
      "kubectl run x --image=y -- touch a -> a",
      "kubectl cp pod:/x a -> a",
      "oc apply -f a",
    ],
    no_match: ["kubectl -n x get pods", "k3s kubectl get pods"],
  },
];
