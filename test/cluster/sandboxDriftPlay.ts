import { at, type Dict, dictsAt, isDict, textAt } from "../../infra/local/cluster/model/object.ts";
import type { Answer, RawClient } from "../infra/local/cluster/rawClient.ts";
import type { Step } from "./sandboxDriftScenarios.ts";

/** Both clusters have the namespace with its default service account before anything is compared. */
export async function prepare(client: RawClient, namespace: string): Promise<void> {
  await client.send("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  for (;;) {
    const found = await client.send("GET", `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`);
    const account = await client.send("GET", `/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    if (found.code === 200 && account.code === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Sends a step's request; where a controller must have worked first, until it has. */
export async function play(client: RawClient, step: Step, namespace: string): Promise<Answer> {
  const fill = (text: string) => text.replaceAll("NAMESPACE", namespace);
  const body = typeof step.body === "string" || step.body === undefined ? step.body : JSON.stringify(step.body);
  const headers = step.type ? { "content-type": step.type } : {};
  for (;;) {
    const answer = await client.send(
      step.method,
      fill(step.path),
      body === undefined ? undefined : fill(body),
      headers,
    );
    if (!step.until || answer.code === step.until) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What of an answer must be the same on both. */
export function outcome(answer: Answer, step: Step): { code: number; body: unknown } {
  if (step.codeOnly) return { code: answer.code, body: undefined };
  if (step.loose) return { code: answer.code, body: answer.code < 300 ? undefined : at(answer.body, "reason") };
  const body = normal(answer.body);
  // The order of several problems in one message is the order of a Go map; the causes say the same.
  if (isDict(body) && dictsAt(body, "details", "causes").length > 1) delete body.message;
  return { code: answer.code, body };
}

const volatile = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "time",
  "deletionTimestamp",
  "clusterIP",
  "clusterIPs",
  "nodePort",
  "status",
  "deployment.kubernetes.io/revision",
]);
const controllers = new Set(["kube-controller-manager", "kube-apiserver"]);
const ownLabels = new Set(["controller-uid", "batch.kubernetes.io/controller-uid"]);

/** Without what differs from one server to the next, and without what controllers write in the meantime. */
function normal(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return normalList(value, key);
  if (typeof value === "string") return normalText(value, key);
  if (!isDict(value)) return value;
  const result: Dict = {};
  for (const [name, item] of Object.entries(value)) {
    if (volatile.has(name) && !(name === "status" && typeof item === "string")) continue;
    result[name] = ownLabels.has(name) ? "OWN" : normal(item, name);
  }
  if (isDict(result.annotations) && Object.keys(result.annotations).length === 0) delete result.annotations;
  return result;
}

/** Entries of managed fields in the order of their managers, not of their times; causes in any order. */
function normalList(list: unknown[], key: string): unknown[] {
  if (key === "managedFields") {
    const entries = list.filter((entry) => !controllers.has(textAt(entry, "manager")));
    return sorted(
      entries.map((entry) => normal(entry)),
      (entry) => textAt(entry, "manager") + textAt(entry, "operation"),
    );
  }
  const items = list.map((item) => normal(item));
  return key === "causes" ? sorted(items, (item) => JSON.stringify(item)) : items;
}

function sorted(list: unknown[], by: (item: unknown) => string): unknown[] {
  return list.toSorted((a, b) => (by(a) < by(b) ? -1 : 1));
}

function normalText(text: string, key: string): string {
  // The value of an immutable template is shown as the server's internal Go struct.
  if (key === "message" && /Invalid value: \{.*field is immutable$/s.test(text)) return "field is immutable";
  return text
    .replace(/drift-\d+-\d+|dd-\d+-\d+/g, "NAMESPACE")
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "TIME")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UID")
    .replace(/in record \(\d+\)/, "in record (VERSION)");
}
