import type { PlaceText } from "./expectedPermissions.ts";
import type { ExpectedWords } from "./expectedWords.ts";
import { maskedBody } from "./maskedBody.ts";
import type { TestRequest } from "./requests.ts";

/** One record of the operation log as the API shows it. */
export interface OperationRecord {
  username: string;
  project_key: string;
  method: string;
  function: string;
  scene: string;
  targets: string[];
  detail: string;
  request_body: string;
  body_type: string;
  status: number;
  created_at: number;
  token_id: string;
  token_name: string;
  request_id: string;
  address: string;
  agent: string;
}

/** What the words of a request say; when it was and where it came from is looked at apart. */
type Words = Omit<OperationRecord, "created_at" | "token_id" | "token_name" | "request_id" | "address" | "agent">;

/** What contract I 9.1 and I 14 want of a request's record; time and origin are left out. */
export function expectedRecord(
  words: ExpectedWords,
  request: TestRequest,
  outcome: { status: number; username: string; decoded: boolean },
): Words {
  const body = outcome.decoded ? (request.body ?? {}) : {};
  const at = (place: PlaceText | undefined): string => {
    const [where, name = ""] = place?.split(" ") ?? [];
    if (where === "path") return request.params[name] ?? "";
    if (where === "query") return request.query[name] ?? "";
    return where === "body" && typeof body[name] === "string" ? body[name] : "";
  };
  const [where, flag = ""] = words.inProduction?.place.split(" ") ?? [];
  const isInProduction = where === "query" ? request.query[flag] === "true" : body[flag] === true;
  const kept = words.body !== "none" && outcome.decoded && request.body !== undefined;
  return {
    username: outcome.username,
    project_key: words.workflow === undefined ? at(words.project) : projectOf(at(words.workflow)),
    method: words.methods?.by[at(words.methods.place)] ?? words.method,
    function: isInProduction ? (words.inProduction?.function ?? "") : words.function,
    scene: words.scene ?? (words.environment === undefined ? "" : "environment"),
    targets: [at(words.environment ?? words.targets)].filter((target) => target !== ""),
    detail: detailOf(words, body, at),
    request_body: words.kept !== undefined ? at(words.kept) : kept ? maskedBody(request.body) : "",
    body_type: words.body === "none" ? "" : words.body,
    status: outcome.status,
  };
}

/** The workflows whose tasks the walk works with; any other name is nobody's. */
export const walkedWorkflow = "walk-flow";
export const walkedRelease = "walk-release";
export const walkedRollout = "walk-rollout";
export const walkedOlder = "older";

function projectOf(workflow: string): string {
  return [walkedWorkflow, walkedRelease, walkedRollout, walkedOlder].includes(workflow) ? "walk" : "";
}

function detailOf(
  words: ExpectedWords,
  body: Record<string, unknown>,
  at: (place: PlaceText | undefined) => string,
): string {
  const { detail, environment } = words;
  if (detail === "") return "";
  if (detail === "role name") return `Role Name: ${at(words.targets)}`;
  if (detail === "mode and members") return modeAndMembers(body);
  if (detail === "identities and roles") return identitiesAndRoles(body, at);
  if (detail === "test name and -job") return at("body test_name") && `${at("body test_name")}-job`;
  if (detail === "provider and namespace")
    return `Provider: ${at("body provider")}, Namespace: ${at("body namespace")}`;
  if (typeof detail !== "string")
    return detail
      .map((place) => wordOf(place) ?? at(place as PlaceText))
      .filter((part) => part !== "")
      .join(":");
  if (detail !== "removed services") return at(detail);
  const names = Array.isArray(body.service_names) ? body.service_names : [];
  return `${at(environment)}:[${names.join(",")}]`;
}

function identitiesAndRoles(body: Record<string, unknown>, at: (place: PlaceText | undefined) => string): string {
  const { identities = [], roles = [] } = body as { identities?: { uid?: string; gid?: string }[]; roles?: string[] };
  const lists: [string, (string | undefined)[]][] = [
    ["User", [at("path uid"), at("body uid"), ...identities.map(({ uid }) => uid)]],
    ["Group", [at("path gid"), at("body gid"), ...identities.map(({ gid }) => gid)]],
    ["Role Name", [at("body role"), ...roles]],
  ];
  return lists
    .map(([word, names]) => [word, names.filter((name) => name !== undefined && name !== "").join(",")])
    .filter(([, names]) => names !== "")
    .map(([word, names]) => `${word}: ${names}`)
    .join(", ");
}

/** The mode's name, its members and the verbs of each workflow and environment. */
function modeAndMembers(body: Record<string, unknown>): string {
  const { name, user_ids, group_ids, workflows, envs } = body as Partial<{
    name: string;
    user_ids: string[];
    group_ids: string[];
    workflows: { name: string; verbs: string[] }[];
    envs: { name: string; verbs: string[] }[];
  }>;
  const lists = [["User", user_ids] as const, ["Group", group_ids] as const].concat(
    [...(workflows ?? []), ...(envs ?? [])].map((resource) => [resource.name, resource.verbs] as never),
  );
  const members = lists.filter(([, names]) => (names ?? []).length > 0).map(([word, names]) => `${word}: ${names}`);
  return [...(name === undefined ? [] : [name]), ...members].join(", ");
}

function wordOf(place: string): string | undefined {
  return place.startsWith("the word ") ? place.slice("the word ".length) : undefined;
}
