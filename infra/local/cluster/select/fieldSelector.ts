import { badRequest } from "../api/errors.ts";
import { at, type KubeObject } from "../model/object.ts";

export type FieldTest = (object: KubeObject) => boolean;

/** Fields beyond metadata.name and metadata.namespace that a resource can be selected by, as the real server has them. */
const selectable: Record<string, string[]> = {
  pods: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
  ],
  events: [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  namespaces: ["status.phase"],
  nodes: ["spec.unschedulable"],
  secrets: ["type"],
  services: ["spec.clusterIP", "spec.type"],
  "jobs.batch": ["status.successful"],
  "replicasets.apps": ["status.replicas"],
};

/** The test of a `fieldSelector` query. Throws 400 for fields that the resource cannot be selected by. */
export function parseFieldSelector(text: string, resource: string): FieldTest {
  const extra = selectable[resource];
  const allowed = new Set(["metadata.name", "metadata.namespace", ...(extra ?? [])]);
  const terms = text
    .split(",")
    .filter((term) => term.trim() !== "")
    .map((term) => {
      const match = /^\s*([^=!\s]+)\s*(==|=|!=)(.*)$/.exec(term);
      if (!match?.[1]) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      if (!allowed.has(match[1])) {
        const known = '"metadata.name", "metadata.namespace"';
        throw badRequest(
          extra
            ? `field label not supported: ${match[1]}`
            : `"${match[1]}" is not a known field selector: only ${known}`,
        );
      }
      return { path: match[1].split("."), equals: match[2] !== "!=", value: match[3] ?? "" };
    });
  return (object) =>
    terms.every(({ path, equals, value }) => {
      const found = at(object, ...path);
      return (String(found ?? "") === value) === equals;
    });
}
