import { type Control, counted, distinct, type Finding, isWindows, quoted, setters } from "./control.ts";
import type { Container, PodFields } from "./podFields.ts";

const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/";
const selinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"];

type Profiles = Pick<NonNullable<Container["securityContext"]>, "appArmorProfile" | "seccompProfile">;

/** Baseline: AppArmor has the runtime's profile or one of the node, by field and by the older annotation. */
export const appArmorProfile: Control = (pod) => {
  const { who, types } = forbiddenTypes(pod, "appArmorProfile");
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(appArmorAnnotation) && !isAppArmorAnnotation(value ?? ""))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const annotated = annotations.length > 0 ? [counted("annotation", "annotations", annotations)] : [];
  const sources = [who ?? [], annotated].flat();
  if (sources.length === 0) return undefined;
  const values = [...types, ...annotations];
  return {
    reason: counted("forbidden AppArmor profile", "forbidden AppArmor profiles", values),
    detail: `${sources.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

/** Baseline: seccomp, where it is set, has the runtime's profile or one of the node. */
export const seccompProfileBaseline: Control = (pod) => {
  const { who, types } = forbiddenTypes(pod, "seccompProfile");
  if (who === undefined) return undefined;
  return {
    reason: "seccompProfile",
    detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
  };
};

/** Restricted: seccomp is set as well, by the pod or by each of its containers. */
export const seccompProfileRestricted: Control = (pod) => {
  if (isWindows(pod)) return undefined;
  return seccompProfileBaseline(pod) ?? withoutSeccomp(pod);
};

/** Baseline: SELinux has a type of containers, and no user or role of its own. */
export const seLinuxOptions: Control = ({ securityContext, all }) => {
  const isForbidden = ({
    seLinuxOptions: options,
  }: Pick<NonNullable<Container["securityContext"]>, "seLinuxOptions">) =>
    !selinuxTypes.includes(options?.type ?? "") || !!options?.user || !!options?.role;
  const containers = all.filter((one) => isForbidden(one.securityContext ?? {}));
  const who = setters(isForbidden(securityContext ?? {}), containers);
  if (who === undefined) return undefined;
  const set = [securityContext, ...all.map((one) => one.securityContext)].map((one) => one?.seLinuxOptions ?? {});
  const types = distinct(set.map(({ type }) => type ?? "").filter((type) => !selinuxTypes.includes(type)));
  const wrong = [
    ...(types.length > 0 ? [`${counted("type", "types", types)} ${quoted(types)}`] : []),
    ...(set.some(({ user }) => user) ? ["user may not be set"] : []),
    ...(set.some(({ role }) => role) ? ["role may not be set"] : []),
  ];
  return {
    reason: "seLinuxOptions",
    detail: `${who} set forbidden securityContext.seLinuxOptions: ${wrong.join("; ")}`,
  };
};

/** The profile that a runtime has by itself, or one of a file on the node. */
function isAllowed(type: string | null | undefined): boolean {
  return type === "RuntimeDefault" || type === "Localhost";
}

function isAppArmorAnnotation(value: string): boolean {
  return value === "" || value === "runtime/default" || value.startsWith("localhost/");
}

/** Who sets the profile to a type that is not allowed, and the types. */
function forbiddenTypes({ securityContext, all }: PodFields, field: keyof Profiles): { who?: string; types: string[] } {
  const forbiddenType = (context: Profiles | null | undefined): string | undefined => {
    const profile = context?.[field];
    return !profile || isAllowed(profile.type) ? undefined : (profile.type ?? "");
  };
  const containers = all.filter((one) => forbiddenType(one.securityContext) !== undefined);
  const who = setters(forbiddenType(securityContext) !== undefined, containers);
  const types = [securityContext, ...all.map((one) => one.securityContext)].flatMap((one) => forbiddenType(one) ?? []);
  return { ...(who !== undefined && { who }), types: distinct(types) };
}

/** A container needs a profile of its own where the pod has none. */
function withoutSeccomp({ securityContext, all }: PodFields): Finding | undefined {
  if (securityContext?.seccompProfile) return undefined;
  const found = setters(
    false,
    all.filter((one) => !one.securityContext?.seccompProfile),
  );
  if (found === undefined) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${found} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}
