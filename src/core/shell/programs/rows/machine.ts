import type { Row } from "../row/row.ts";

const schedule = { refuses: { kind: "loader", why: "jobs are put into the system's schedule" } } as const;

export const machine: readonly Row[] = [
  { names: "crontab", ...schedule, harmless: "l", values: "u", match: ["crontab a", "crontab -e"], no_match: ["crontab -l"] },
  { names: "buildah", opaque: "it builds images", mentions: "all", match: ["buildah bud ."] },
  { names: "skopeo", opaque: "it copies images", mentions: "all", match: ["skopeo copy a b"] },
  { names: "helm kustomize minikube kind k3d skaffold tilt", opaque: "it manages a cluster", mentions: "all", match: ["helm install x a"] },
  { names: "vagrant multipass virsh qemu-system-x86_64 lima limactl colima", opaque: "it manages machines", mentions: "all", match: ["vagrant up"] },
];
