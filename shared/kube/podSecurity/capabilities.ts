import { type Control, containersNamed, distinct, isWindows, quoted } from "./control.ts";
import type { PodFields } from "./podFields.ts";

/** What container runtimes give by themselves, but for NET_RAW. */
const ordinary = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];

/** Baseline: containers add only capabilities that runtimes give anyhow. */
export const capabilitiesBaseline: Control = (pod) => {
  const detail = addedBeyond(ordinary, pod);
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
};

/** Restricted: containers drop `ALL` and add at most `NET_BIND_SERVICE`. */
export const capabilitiesRestricted: Control = (pod) => {
  if (isWindows(pod)) return undefined;
  const keeping = pod.all.filter((one) => one.securityContext?.capabilities?.drop?.includes("ALL") !== true);
  const kept =
    keeping.length === 0
      ? []
      : [`${containersNamed(keeping.map(({ name }) => name))} must set securityContext.capabilities.drop=["ALL"]`];
  const detail = [...kept, addedBeyond(["NET_BIND_SERVICE"], pod) ?? []].flat().join("; ");
  return detail === "" ? undefined : { reason: "unrestricted capabilities", detail };
};

function addedBeyond(allowed: readonly string[], { all }: PodFields): string | undefined {
  const found = all.flatMap(({ name, securityContext }) => {
    const added = (securityContext?.capabilities?.add ?? []).filter((one) => !allowed.includes(one));
    return added.length === 0 ? [] : [{ name, added }];
  });
  if (found.length === 0) return undefined;
  const containers = containersNamed(found.map(({ name }) => name));
  const added = quoted(distinct(found.flatMap((one) => one.added)));
  return `${containers} must not include ${added} in securityContext.capabilities.add`;
}
