import { type Dict, dictsAt, isDict, textAt } from "../model/object.ts";
import {
  duplicate,
  invalidValue,
  keyProblems,
  nameProblems,
  notFoundValue,
  type Problems,
  required,
  unsupported,
} from "./checks.ts";

/**
 * Checks a pod's spec the way the API server does for the mistakes people make. `path` is where the spec is.
 * @param claims volumes that a StatefulSet gives its pods by its claim templates
 */
export function validatePodSpec(
  problems: Problems,
  spec: Dict,
  path: string,
  policies: string[],
  claims: readonly string[] = [],
): void {
  const volumes = new Set([...validateVolumes(problems, spec, `${path}.volumes`), ...claims]);
  const containers = dictsAt(spec, "containers");
  if (containers.length === 0) required(problems, `${path}.containers`);
  const names = new Set<string>();
  for (const field of ["containers", "initContainers"]) {
    dictsAt(spec, field).forEach((container, i) => {
      validateContainer(problems, container, `${path}.${field}[${i}]`, names, volumes);
    });
  }
  const policy = textAt(spec, "restartPolicy");
  if (!policies.includes(policy)) {
    const isJob = policies.includes("OnFailure") && !policies.includes("Always");
    if (isJob && policy === "Always") required(problems, `${path}.restartPolicy`, 'valid values: "OnFailure", "Never"');
    else if (policy === "") required(problems, `${path}.restartPolicy`);
    else unsupported(problems, `${path}.restartPolicy`, policy, policies);
  }
  const account = textAt(spec, "serviceAccountName");
  for (const text of account ? nameProblems(account, "subdomain") : []) {
    invalidValue(problems, `${path}.serviceAccountName`, account, text);
  }
}

function validateVolumes(problems: Problems, spec: Dict, path: string): Set<string> {
  const names = new Set<string>();
  dictsAt(spec, "volumes").forEach((volume, i) => {
    const name = textAt(volume, "name");
    if (name === "") required(problems, `${path}[${i}].name`);
    for (const text of name ? nameProblems(name, "label") : [])
      invalidValue(problems, `${path}[${i}].name`, name, text);
    if (names.has(name)) duplicate(problems, `${path}[${i}].name`, name);
    names.add(name);
    const sources = Object.keys(volume).filter((key) => key !== "name");
    for (const extra of sources.slice(1)) {
      problems.push({
        reason: "FieldValueForbidden",
        message: "Forbidden: may not specify more than 1 volume type",
        field: `${path}[${i}].${extra}`,
      });
    }
  });
  return names;
}

function validateContainer(
  problems: Problems,
  container: Dict,
  path: string,
  names: Set<string>,
  volumes: Set<string>,
): void {
  const name = textAt(container, "name");
  if (name === "") required(problems, `${path}.name`);
  for (const text of name ? nameProblems(name, "label") : []) invalidValue(problems, `${path}.name`, name, text);
  if (name && names.has(name)) duplicate(problems, `${path}.name`, name);
  names.add(name);
  const image = textAt(container, "image");
  if (image === "") required(problems, `${path}.image`);
  else if (image.trim() !== image)
    invalidValue(problems, `${path}.image`, image, "must not have leading or trailing whitespace");
  const pull = textAt(container, "imagePullPolicy");
  if (pull && !["Always", "IfNotPresent", "Never"].includes(pull)) {
    unsupported(problems, `${path}.imagePullPolicy`, pull, ["Always", "IfNotPresent", "Never"]);
  }
  validatePorts(problems, container, `${path}.ports`);
  dictsAt(container, "env").forEach((variable, i) => {
    const key = textAt(variable, "name");
    if (key === "") required(problems, `${path}.env[${i}].name`);
    if (variable.value !== undefined && variable.value !== "" && isDict(variable.valueFrom)) {
      invalidValue(problems, `${path}.env[${i}].valueFrom`, "", "may not be specified when `value` is not empty");
    }
  });
  const mounted = new Set<string>();
  dictsAt(container, "volumeMounts").forEach((mount, i) => {
    const volume = textAt(mount, "name");
    if (volume === "") required(problems, `${path}.volumeMounts[${i}].name`);
    else if (!volumes.has(volume)) notFoundValue(problems, `${path}.volumeMounts[${i}].name`, volume);
    const target = textAt(mount, "mountPath");
    if (target === "") required(problems, `${path}.volumeMounts[${i}].mountPath`);
    else if (mounted.has(target))
      invalidValue(problems, `${path}.volumeMounts[${i}].mountPath`, target, "must be unique");
    mounted.add(target);
  });
  validateResources(problems, container, `${path}.resources`);
}

function validatePorts(problems: Problems, container: Dict, path: string): void {
  const names = new Set<string>();
  dictsAt(container, "ports").forEach((port, i) => {
    const name = textAt(port, "name");
    if (name && (name.length > 15 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name))) {
      invalidValue(problems, `${path}[${i}].name`, name, portNameProblem(name));
    }
    if (name && names.has(name)) duplicate(problems, `${path}[${i}].name`, name);
    names.add(name);
    const number = port.containerPort;
    if (number === 0 || number === undefined) required(problems, `${path}[${i}].containerPort`);
    else if (!isPort(number)) {
      invalidValue(problems, `${path}[${i}].containerPort`, number, "must be between 1 and 65535, inclusive");
    }
    const protocol = textAt(port, "protocol");
    if (protocol && !["TCP", "UDP", "SCTP"].includes(protocol)) {
      unsupported(problems, `${path}[${i}].protocol`, protocol, ["SCTP", "TCP", "UDP"]);
    }
  });
}

function portNameProblem(name: string): string {
  if (name.length > 15) return "must be no more than 15 characters";
  return "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
}

export function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
}

function validateResources(problems: Problems, container: Dict, path: string): void {
  for (const field of ["limits", "requests"]) {
    const found = isDict(container.resources) ? container.resources[field] : undefined;
    if (!isDict(found)) continue;
    for (const key of Object.keys(found)) {
      for (const text of keyProblems(key)) invalidValue(problems, `${path}.${field}`, key, text);
      if (String(found[key]).startsWith("-")) {
        invalidValue(problems, `${path}.${field}[${key}]`, found[key], "must be greater than or equal to 0");
      }
    }
  }
}
