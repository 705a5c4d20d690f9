import { type Control, hasUserNamespace, isWindows, setters } from "./control.ts";

/** Restricted: no process gets more rights than the one that started it. */
export const allowPrivilegeEscalation: Control = (pod) => {
  if (isWindows(pod)) return undefined;
  const found = setters(
    false,
    pod.all.filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false),
  );
  if (found === undefined) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${found} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

/** Restricted: every container must run as another user than root, unless the pod has a user namespace. */
export const runAsNonRoot: Control = (pod) => {
  if (hasUserNamespace(pod)) return undefined;
  const ofPod = pod.securityContext?.runAsNonRoot ?? undefined;
  const withChoice = pod.all.map(({ name, securityContext }) => ({
    name,
    choice: securityContext?.runAsNonRoot ?? undefined,
  }));
  const refusing = setters(
    ofPod === false,
    withChoice.filter(({ choice }) => choice === false),
  );
  const reason = "runAsNonRoot != true";
  if (refusing !== undefined) return { reason, detail: `${refusing} must not set securityContext.runAsNonRoot=false` };
  const open = ofPod === true ? [] : withChoice.filter(({ choice }) => choice === undefined);
  const silent = setters(false, open);
  return silent === undefined
    ? undefined
    : { reason, detail: `pod or ${silent} must set securityContext.runAsNonRoot=true` };
};

/** Restricted: neither the pod nor a container sets user 0, unless the pod has a user namespace. */
export const runAsUser: Control = (pod) => {
  if (hasUserNamespace(pod)) return undefined;
  const found = setters(
    pod.securityContext?.runAsUser === 0,
    pod.all.filter(({ securityContext }) => securityContext?.runAsUser === 0),
  );
  return found === undefined ? undefined : { reason: "runAsUser=0", detail: `${found} must not set runAsUser=0` };
};
