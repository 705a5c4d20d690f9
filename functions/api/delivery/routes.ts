import { type Audit, defineRoute, fromBody, fromQuery, type RawRequest } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import * as schemas from "./schemas.ts";

const tag = "Delivery versions";
const sentScope = { project: fromBody("project_key") };
const askedScope = { project: fromQuery("projectKey") };
/** The project is that of the version, which decides who may read it (contract I 13.6). */
const ofItsProject = { kind: "authenticated" } as const;
const maker = { kind: "verb", verbs: ["create_delivery"] } as const;
const reader = { kind: "verb", verbs: ["get_delivery"] } as const;

const inPath = ({ params }: RawRequest): string => params.id ?? "";
const nameInBody = ({ body }: RawRequest): string => textOf(body.version_name) || textOf(body.version);
const idInRequest = ({ query, body }: RawRequest): string => textOf(body.id) || (query.id ?? "");
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function audit(method: string, detail: Audit["detail"], body: Audit["body"] = "json"): Audit {
  return { method, function: "Version Delivery", detail, body };
}

const openPath = "/openapi/delivery/releases";
const consolePath = "/api/aslan/delivery/releases";

/** What the console does with versions, which names the project otherwise (contract D 1.15). */
function family(path: typeof openPath | typeof consolePath) {
  const isConsole = path === consolePath;
  const queryAliases = isConsole ? { projectKey: ["projectName"] } : {};
  return {
    read: defineRoute({
      method: "GET",
      path: `${path}/:id(hex)`,
      summary: "Read a delivery version with its services, and the digest and state of every image",
      tag,
      permission: ofItsProject,
      params: schemas.ofVersion,
      query: schemas.optionalProject,
      queryAliases,
      response: schemas.shownVersion,
    }),
    remove: defineRoute({
      method: "DELETE",
      path: `${path}/:id(hex)`,
      summary: "Delete a delivery version; what was pushed stays",
      tag,
      permission: { kind: "verb", verbs: ["delete_delivery"] },
      scope: askedScope,
      params: schemas.ofVersion,
      query: schemas.ofProject,
      queryAliases,
      response: message,
      audit: audit("Delete", inPath, "none"),
    }),
    create: defineRoute({
      method: "POST",
      path: `${path}/k8s`,
      summary: "Make a delivery version of manifests: images are copied to their registry, each by its digest",
      tag,
      permission: maker,
      scope: sentScope,
      body: schemas.newVersion,
      response: message,
      audit: audit("Create", nameInBody),
    }),
    retry: defineRoute({
      method: "POST",
      path: `${path}/retry`,
      summary: "Do what did not pass of a failed delivery version again",
      tag,
      permission: maker,
      scope: { project: [fromBody("project_key"), fromQuery("projectKey")] },
      query: schemas.retryQuery,
      queryAliases,
      body: schemas.retryBody,
      response: message,
      audit: audit("Retry", idInRequest),
    }),
  };
}

const open = family(openPath);
const console = family(consolePath);

export const deliveryRoutes = {
  listDeliveryVersions: defineRoute({
    method: "GET",
    path: openPath,
    summary: "List delivery versions, the newest first",
    tag,
    permission: reader,
    scope: askedScope,
    query: schemas.versionPage,
    response: schemas.versionList,
  }),
  getDeliveryVersionByName: defineRoute({
    method: "GET",
    path: `${openPath}/detail`,
    summary: "Read a delivery version by its name",
    tag,
    permission: reader,
    scope: askedScope,
    query: schemas.byName,
    response: schemas.shownVersion,
  }),
  getDeliveryVersion: open.read,
  deleteDeliveryVersion: open.remove,
  createDeliveryVersion: open.create,
  retryDeliveryVersion: open.retry,
  getConsoleDeliveryVersion: console.read,
  deleteConsoleDeliveryVersion: console.remove,
  createConsoleDeliveryVersion: console.create,
  retryConsoleDeliveryVersion: console.retry,
};
