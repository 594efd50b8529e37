import { known, unknownText } from "../../text.ts";
import { typedInto } from "../row/report-code.ts";
import type { Hook, Row } from "../row/row.ts";
import { tmux, withoutOptions } from "./tmux.ts";

const schedule = { refuses: { kind: "loader", why: "the command changes the system's schedule: run the job now, or leave it to a person" } } as const;

/** Commands that run later are judged like commands that run now. */
const runsLater: Hook = (_, effects, { input }) => {
  if (input.kind === "text") effects.shell(input.text);
  else if (input.kind === "unknown") effects.refuse("unknown-code", "data of unknown content runs later: write the commands out");
  else if (input.kind === "file") effects.opaque("it runs a script later");
};

const types: Hook = (_, effects, { args }) => {
  const stuff = args.findIndex((word) => known(word) === "stuff");
  if (stuff >= 0) return effects.shell(args[stuff + 1] ?? unknownText);
  const exec = args.findIndex((word) => /^(?:exec|screen)$/.test(known(word) ?? ""));
  if (exec >= 0) return effects.run(args.slice(exec + 1));
  const words = withoutOptions(args, /^-(?:[A-Za-z]*[SctTspehr])$/, /^-(?:ls|list|r|d|D|x)$/);
  if (words.length > 0) effects.run(words);
  else if (!args.some((word) => /^-(?:ls|list|wipe|v)$/.test(known(word) ?? ""))) effects.opaque(typedInto);
};

const changesServices: Hook = (_, effects, { args }) => {
  const words = args.map((word) => known(word) ?? "");
  if (words.some((word) => /^(?:enable|disable|link|edit|set-property|mask|load|bootstrap|submit|setenv|import-environment|set-environment)$/.test(word))) {
    return effects.refuse("loader", "the command changes the system's services: leave that to a person");
  }
  if (words.some((word) => /^(?:start|restart|stop|reload|kickstart|daemon-reload|unload|bootout|kill)$/.test(word))) {
    effects.opaque("a service starts or stops");
    if (words.some((word) => /lockstep/i.test(word))) effects.refuse("lockstep", "the command would end Lockstep's own processes: leave them running");
  }
};

export const machine: readonly Row[] = [
  tmux,
  {
    names: "at batch",
    values: "f q t c d r",
    flags: "m M v b",
    harmless: "l c d r V",
    cases: [{ when: "f", opaque: "it runs a script later" }, { also: runsLater }],
    match: ["at now <<< 'touch a' -> a", "at -f x now"],
    no_match: ["at -l"],
  },
  { names: "screen", also: types, match: ["screen -dm touch a -> a", "screen -X stuff 'touch a' -> a"], no_match: ["screen -ls"] },
  {
    names: "systemctl launchctl service rc-service rc-update update-rc.d chkconfig",
    also: changesServices,
    match: ["systemctl enable x", "systemctl restart x", "launchctl load x"],
    no_match: ["systemctl status x"],
  },
  {
    names: "schtasks",
    mentions: "all",
    also: (_, effects, { args }) => {
      if (!args.some((word) => /^\/query$/i.test(known(word) ?? ""))) effects.refuse(schedule.refuses.kind, schedule.refuses.why);
    },
    match: ["schtasks /create a"],
  },
  { names: "crontab", ...schedule, harmless: "l", values: "u", match: ["crontab a", "crontab -e"], no_match: ["crontab -l"] },
  { names: "buildah", opaque: "it builds images", mentions: "all", match: ["buildah bud ."] },
  { names: "skopeo", opaque: "it copies images", mentions: "all", match: ["skopeo copy a b"] },
  { names: "helm kustomize minikube kind k3d skaffold tilt", opaque: "it manages a cluster", mentions: "all", match: ["helm install x a"] },
  { names: "vagrant multipass virsh qemu-system-x86_64 lima limactl colima", opaque: "it manages machines", mentions: "all", match: ["vagrant up"] },
];
