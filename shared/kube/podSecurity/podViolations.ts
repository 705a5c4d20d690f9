import { capabilitiesBaseline, capabilitiesRestricted } from "./capabilities.ts";
import type { Control, Finding } from "./control.ts";
import {
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbesAndHostLifecycle,
  privileged,
  windowsHostProcess,
} from "./host.ts";
import { procMountBaseline, procMountRestricted, sysctls } from "./kernel.ts";
import { readPod } from "./podFields.ts";
import { appArmorProfile, seccompProfileBaseline, seccompProfileRestricted, seLinuxOptions } from "./profiles.ts";
import { restrictedVolumes } from "./restrictedVolumes.ts";
import { allowPrivilegeEscalation, runAsNonRoot, runAsUser } from "./users.ts";

/** The levels of Kubernetes' Pod Security Standards, each stricter than the one before. */
export const podSecurityLevels = ["privileged", "baseline", "restricted"] as const;
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

/** A control that a pod violates, by Kubernetes' identifier of it, with the reason and the fields. */
export interface Violation extends Finding {
  control: string;
}

const always: Readonly<Record<string, Control>> = {
  appArmorProfile,
  hostNamespaces,
  hostPorts,
  hostProbesAndHostLifecycle,
  privileged,
  seLinuxOptions,
  sysctls,
  windowsHostProcess,
};

/** The controls of each level, in the order in which Kubernetes tells them. */
const controls: Readonly<Record<PodSecurityLevel, readonly (readonly [string, Control])[]>> = {
  privileged: [],
  baseline: sorted({
    ...always,
    capabilities_baseline: capabilitiesBaseline,
    hostPathVolumes,
    procMount: procMountBaseline,
    seccompProfile_baseline: seccompProfileBaseline,
  }),
  restricted: [
    ...sorted(always),
    ...sorted({
      allowPrivilegeEscalation,
      capabilities_restricted: capabilitiesRestricted,
      procMount_restricted: procMountRestricted,
      restrictedVolumes,
      runAsNonRoot,
      runAsUser,
      seccompProfile_restricted: seccompProfileRestricted,
    }),
  ],
};

/**
 * The controls of a level that a pod or pod template (`{metadata: {annotations}, spec}`, as it is in a manifest)
 * violates, as the API server's admission finds them in the newest version that Slipway knows, 1.35
 * (https://kubernetes.io/docs/concepts/security/pod-security-standards/). None at `privileged`. A template with a field
 * of a wrong type violates `podTemplate`: it cannot be judged, and the API server takes it no more than Slipway does.
 */
export function podViolations(template: unknown, level: PodSecurityLevel): Violation[] {
  if (level === "privileged") return [];
  const pod = readPod(template);
  if ("unreadable" in pod)
    return [{ control: "podTemplate", reason: "unreadable pod template", detail: pod.unreadable }];
  return controls[level].flatMap(([control, check]) => {
    const found = check(pod);
    return found === undefined ? [] : [{ control, ...found }];
  });
}

function sorted(named: Readonly<Record<string, Control>>): (readonly [string, Control])[] {
  return Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1));
}
