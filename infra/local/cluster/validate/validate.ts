import type { Resource } from "../api/resource.ts";
import {
  at,
  type Dict,
  dictAt,
  dictsAt,
  equal,
  isDict,
  type KubeObject,
  type LabelSelector,
  textAt,
} from "../model/object.ts";
import { matchesSelector } from "../select/labelSelector.ts";
import {
  duplicate,
  forbiddenField,
  invalidValue,
  keyProblems,
  labelProblems,
  type NameForm,
  nameProblems,
  type Problems,
  required,
  unsupported,
} from "./checks.ts";
import { isPort, validatePodSpec } from "./podSpec.ts";
import { validateSchema } from "./schema.ts";

const nameForms: Record<string, NameForm> = {
  namespaces: "label",
  services: "service",
  "roles.rbac.authorization.k8s.io": "path",
  "rolebindings.rbac.authorization.k8s.io": "path",
  "clusterroles.rbac.authorization.k8s.io": "path",
  "clusterrolebindings.rbac.authorization.k8s.io": "path",
};

/** All problems of a new object, in the server's words; empty when there are none. */
export function validateCreate(resource: Resource, object: KubeObject): Problems {
  const problems: Problems = [];
  validateMetadata(problems, resource, object);
  byKey[resource.key]?.(problems, object, dictAt(object, "spec"));
  if (resource.custom) validateSchema(problems, object, resource);
  return problems;
}

/** All problems of a replacement, with the fields that may not change. */
export function validateUpdate(resource: Resource, object: KubeObject, old: KubeObject): Problems {
  const problems = validateCreate(resource, object);
  for (const path of immutable[resource.key] ?? []) {
    const next = at(object, ...path.split("."));
    if (!equal(next, at(old, ...path.split(".")))) {
      const value = isDict(next) && path === "spec.selector" ? next : next;
      invalidValue(problems, path, value ?? null, "field is immutable");
    }
  }
  updateByKey[resource.key]?.(problems, object, old);
  return problems;
}

const immutable: Record<string, string[]> = {
  "deployments.apps": ["spec.selector"],
  "replicasets.apps": ["spec.selector"],
  "daemonsets.apps": ["spec.selector"],
  "jobs.batch": ["spec.completions", "spec.selector", "spec.template", "spec.completionMode"],
  "storageclasses.storage.k8s.io": ["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"],
  secrets: ["type"],
};

type Check = (problems: Problems, object: KubeObject, spec: Dict) => void;

const byKey: Record<string, Check> = {
  pods: (problems, _, spec) => validatePodSpec(problems, spec, "spec", ["Always", "OnFailure", "Never"]),
  services: validateService,
  secrets: (problems, object) => validateDataKeys(problems, object, ["data"]),
  configmaps: (problems, object) => validateDataKeys(problems, object, ["data", "binaryData"]),
  "deployments.apps": validateWorkload,
  "replicasets.apps": validateWorkload,
  "statefulsets.apps": validateWorkload,
  "daemonsets.apps": validateWorkload,
  "jobs.batch": (problems, _, spec) => validateJobSpec(problems, spec, "spec"),
  "cronjobs.batch": validateCronJob,
  "ingresses.networking.k8s.io": validateIngress,
  "rolebindings.rbac.authorization.k8s.io": validateBinding,
  "clusterrolebindings.rbac.authorization.k8s.io": validateBinding,
  persistentvolumeclaims: validateClaim,
  "horizontalpodautoscalers.autoscaling": validateAutoscaler,
  "customresourcedefinitions.apiextensions.k8s.io": validateDefinition,
};

function validateMetadata(problems: Problems, resource: Resource, object: KubeObject): void {
  const { metadata } = object;
  const form = nameForms[resource.key] ?? "subdomain";
  if (!metadata.name) required(problems, "metadata.name", "name or generateName is required");
  else
    for (const text of nameProblems(metadata.name, form)) invalidValue(problems, "metadata.name", metadata.name, text);
  labelProblems(problems, "metadata.labels", metadata.labels ?? {});
  for (const key of Object.keys(metadata.annotations ?? {})) {
    for (const text of keyProblems(key.toLowerCase())) invalidValue(problems, "metadata.annotations", key, text);
  }
  const size = Object.entries(metadata.annotations ?? {}).reduce((sum, [k, v]) => sum + k.length + v.length, 0);
  if (size > 262_144) {
    problems.push({
      reason: "FieldValueTooLong",
      message: "Too long: may not be more than 262144 bytes",
      field: "metadata.annotations",
    });
  }
  (metadata.finalizers ?? []).forEach((finalizer, i) => {
    for (const text of keyProblems(finalizer)) invalidValue(problems, `metadata.finalizers[${i}]`, finalizer, text);
  });
  const controllers = (metadata.ownerReferences ?? []).filter((owner) => owner.controller);
  if (controllers.length > 1) {
    invalidValue(
      problems,
      "metadata.ownerReferences",
      metadata.ownerReferences,
      "Only one reference can have Controller set to true.",
    );
  }
}

function validateWorkload(problems: Problems, object: KubeObject, spec: Dict): void {
  const selector = spec.selector;
  const labels = dictAt(spec, "template", "metadata", "labels");
  if (typeof spec.replicas === "number" && spec.replicas < 0) {
    invalidValue(problems, "spec.replicas", spec.replicas, "must be greater than or equal to 0");
  }
  if (!isDict(selector)) required(problems, "spec.selector");
  else if (Object.keys(selector).length === 0) {
    invalidValue(problems, "spec.selector", selector, `empty selector is invalid for ${object.kind.toLowerCase()}`);
  }
  labelProblems(problems, "spec.template.metadata.labels", labels);
  if (!isDict(selector) || !matchesSelector(selector as LabelSelector, labels as Record<string, string>)) {
    const shown = Object.keys(labels).length > 0 ? labels : null;
    invalidValue(problems, "spec.template.metadata.labels", shown, "`selector` does not match template `labels`");
  }
  const claims = dictsAt(spec, "volumeClaimTemplates").map((claim) => textAt(dictAt(claim, "metadata"), "name"));
  validatePodSpec(problems, dictAt(spec, "template", "spec"), "spec.template.spec", ["Always"], claims);
  if (object.kind === "Deployment") validateStrategy(problems, spec);
}

function validateStrategy(problems: Problems, spec: Dict): void {
  const type = textAt(spec, "strategy", "type");
  if (type !== "Recreate" && type !== "RollingUpdate") {
    const rolling = dictAt(spec, "strategy", "rollingUpdate");
    const shown = rolling.maxSurge ? { MaxUnavailable: rolling.maxUnavailable, MaxSurge: rolling.maxSurge } : null;
    unsupported(problems, "spec.strategy", { Type: type, RollingUpdate: shown }, ["Recreate", "RollingUpdate"]);
  } else if (type === "Recreate" && at(spec, "strategy", "rollingUpdate")) {
    forbiddenField(problems, "spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
  }
}

function validateJobSpec(problems: Problems, spec: Dict, path: string): void {
  for (const field of [
    "parallelism",
    "completions",
    "backoffLimit",
    "activeDeadlineSeconds",
    "ttlSecondsAfterFinished",
  ]) {
    const value = spec[field];
    if (typeof value === "number" && value < 0) {
      invalidValue(problems, `${path}.${field}`, value, "must be greater than or equal to 0");
    }
  }
  validatePodSpec(problems, dictAt(spec, "template", "spec"), `${path}.template.spec`, ["OnFailure", "Never"]);
}

function validateCronJob(problems: Problems, object: KubeObject, spec: Dict): void {
  const schedule = textAt(spec, "schedule");
  if (schedule === "") required(problems, "spec.schedule");
  else if (schedule.trim().split(/\s+/).length !== 5 && !schedule.startsWith("@")) {
    const count = schedule.trim().split(/\s+/).length;
    const list = schedule.trim().split(/\s+/).join(" ");
    invalidValue(problems, "spec.schedule", schedule, `expected exactly 5 fields, found ${count}: [${list}]`);
  }
  if (object.metadata.name.length > 52) {
    invalidValue(problems, "metadata.name", object.metadata.name, "must be no more than 52 characters");
  }
  validateJobSpec(problems, dictAt(spec, "jobTemplate", "spec"), "spec.jobTemplate.spec");
}

function validateService(problems: Problems, _: KubeObject, spec: Dict): void {
  const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
  const type = textAt(spec, "type");
  if (!types.includes(type)) unsupported(problems, "spec.type", type, types);
  const ports = dictsAt(spec, "ports");
  if (ports.length === 0 && spec.clusterIP !== "None" && type !== "ExternalName") required(problems, "spec.ports");
  const names = new Set<string>();
  const numbers = new Set<string>();
  ports.forEach((port, i) => {
    const path = `spec.ports[${i}]`;
    const name = textAt(port, "name");
    if (name === "" && ports.length > 1) required(problems, `${path}.name`);
    for (const text of name ? nameProblems(name, "label") : []) invalidValue(problems, `${path}.name`, name, text);
    if (name && names.has(name)) duplicate(problems, `${path}.name`, name);
    names.add(name);
    if (!isPort(port.port))
      invalidValue(problems, `${path}.port`, port.port ?? 0, "must be between 1 and 65535, inclusive");
    if (typeof port.targetPort === "number" && !isPort(port.targetPort)) {
      invalidValue(problems, `${path}.targetPort`, port.targetPort, "must be between 1 and 65535, inclusive");
    }
    const key = `${port.protocol}/${port.port}`;
    if (numbers.has(key)) {
      const { protocol: Protocol, port: Port } = port;
      duplicate(problems, path, { Name: "", Protocol, AppProtocol: null, Port, TargetPort: 0, NodePort: 0 });
    }
    numbers.add(key);
  });
  labelProblems(problems, "spec.selector", dictAt(spec, "selector"));
}

function validateDataKeys(problems: Problems, object: KubeObject, fields: string[]): void {
  for (const field of fields) {
    for (const key of Object.keys(dictAt(object, field))) {
      if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
        invalidValue(
          problems,
          `${field}[${key}]`,
          key,
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        );
      }
    }
  }
}

function validateIngress(problems: Problems, _: KubeObject, spec: Dict): void {
  const rules = dictsAt(spec, "rules");
  if (rules.length === 0 && !isDict(spec.defaultBackend)) {
    invalidValue(problems, "spec", rules, "either `defaultBackend` or `rules` must be specified");
  }
  rules.forEach((rule, i) => {
    dictsAt(rule, "http", "paths").forEach((path, j) => {
      const field = `spec.rules[${i}].http.paths[${j}].pathType`;
      const type = textAt(path, "pathType");
      if (type === "") required(problems, field, "pathType must be specified");
      else if (!["Exact", "ImplementationSpecific", "Prefix"].includes(type)) {
        unsupported(problems, field, type, ["Exact", "ImplementationSpecific", "Prefix"]);
      }
    });
  });
}

function validateBinding(problems: Problems, object: KubeObject): void {
  const kind = textAt(object, "roleRef", "kind");
  const allowed = object.kind === "ClusterRoleBinding" ? ["ClusterRole"] : ["ClusterRole", "Role"];
  if (!allowed.includes(kind)) unsupported(problems, "roleRef.kind", kind, allowed);
  if (!textAt(object, "roleRef", "name")) required(problems, "roleRef.name");
}

function validateClaim(problems: Problems, _: KubeObject, spec: Dict): void {
  if (!Array.isArray(spec.accessModes)) required(problems, "spec.accessModes", "at least 1 access mode is required");
  if (at(spec, "resources", "requests", "storage") === undefined) required(problems, "spec.resources[storage]");
}

function validateAutoscaler(problems: Problems, _: KubeObject, spec: Dict): void {
  if (typeof spec.maxReplicas !== "number" || spec.maxReplicas < 1) {
    invalidValue(problems, "spec.maxReplicas", spec.maxReplicas ?? 0, "must be greater than 0");
  }
}

function validateDefinition(problems: Problems, object: KubeObject, spec: Dict): void {
  const expected = `${textAt(spec, "names", "plural")}.${textAt(spec, "group")}`;
  if (object.metadata.name !== expected) {
    invalidValue(problems, "metadata.name", object.metadata.name, `must be spec.names.plural+"."+spec.group`);
  }
  const versions = dictsAt(spec, "versions");
  if (versions.filter((version) => version.storage === true).length !== 1) {
    invalidValue(problems, "spec.versions", null, "must have exactly one version marked as storage version");
  }
  versions.forEach((version, i) => {
    if (!isDict(at(version, "schema", "openAPIV3Schema"))) {
      required(problems, `spec.versions[${i}].schema.openAPIV3Schema`, "schemas are required");
    }
  });
}

type UpdateCheck = (problems: Problems, object: KubeObject, old: KubeObject) => void;

const updateByKey: Record<string, UpdateCheck> = {
  "statefulsets.apps": (problems, object, old) => {
    const mutable = new Set([
      "replicas",
      "ordinals",
      "template",
      "updateStrategy",
      "revisionHistoryLimit",
      "persistentVolumeClaimRetentionPolicy",
      "minReadySeconds",
    ]);
    const keep = (spec: Dict) => Object.fromEntries(Object.entries(spec).filter(([key]) => !mutable.has(key)));
    if (equal(keep(dictAt(object, "spec")), keep(dictAt(old, "spec")))) return;
    forbiddenField(
      problems,
      "spec",
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    );
  },
  services: (problems, object, old) => {
    const before = textAt(old, "spec", "clusterIP");
    const after = textAt(object, "spec", "clusterIP");
    if (
      before &&
      after !== before &&
      textAt(object, "spec", "type") !== "ExternalName" &&
      textAt(old, "spec", "type") !== "ExternalName"
    ) {
      problems.push({
        reason: "FieldValueInvalid",
        message: `Invalid value: ${JSON.stringify([after])}: may not change once set`,
        field: "spec.clusterIPs[0]",
      });
    }
  },
  configmaps: immutableData,
  secrets: immutableData,
  "rolebindings.rbac.authorization.k8s.io": immutableRole,
  "clusterrolebindings.rbac.authorization.k8s.io": immutableRole,
  pods: (problems, object, old) => {
    const rest = (spec: Dict) => {
      const { containers, initContainers, activeDeadlineSeconds: _, tolerations: __, nodeName: ___, ...others } = spec;
      const strip = (list: unknown) => (Array.isArray(list) ? list.map((item) => ({ ...item, image: "" })) : list);
      return { ...others, containers: strip(containers), initContainers: strip(initContainers) };
    };
    if (equal(rest(dictAt(object, "spec")), rest(dictAt(old, "spec")))) return;
    forbiddenField(
      problems,
      "spec",
      "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
    );
  },
  persistentvolumeclaims: (problems, object, old) => {
    const rest = ({ resources: _, volumeName: __, ...others }: Dict) => others;
    if (equal(rest(dictAt(object, "spec")), rest(dictAt(old, "spec")))) return;
    forbiddenField(
      problems,
      "spec",
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
    );
  },
};

function immutableData(problems: Problems, object: KubeObject, old: KubeObject): void {
  if (old.immutable !== true) return;
  if (object.immutable !== true) forbiddenField(problems, "immutable", "field is immutable when `immutable` is set");
  for (const field of ["data", "binaryData"]) {
    if (!equal(object[field], old[field]))
      forbiddenField(problems, field, "field is immutable when `immutable` is set");
  }
}

function immutableRole(problems: Problems, object: KubeObject, old: KubeObject): void {
  if (!equal(object.roleRef, old.roleRef)) invalidValue(problems, "roleRef", object.roleRef, "cannot change roleRef");
}
