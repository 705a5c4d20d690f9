/** Where a request says which project or environment it means: `query projectKey`, `path envName`, `body env_key`. */
export type PlaceText = `${"path" | "query" | "body"} ${string}`;

/**
 * Who may call an endpoint, in the notation of contract I 13: a verb, several verbs of which one suffices, `SA`
 * (system administrator), `PA` (project administrator), `M` (member), `role` (any role: decisions 3.3), `filtered`,
 * `self`, `SA or self`, `public`, `any` (any valid token) or a system verb; `PA of any` is whoever administers a project.
 */
export interface ExpectedPermission {
  allow: string | readonly string[];
  /** +C: a grant on the named environment by a collaboration mode suffices; `any`: on any environment of the project. */
  collaboration?: true | "any";
  project?: PlaceText | readonly PlaceText[];
  environment?: PlaceText | readonly PlaceText[];
  /** Where the request itself says that it is about production, and what is needed then. */
  inProduction?: { place: PlaceText; allow: string };
  /** Names the workflow whose project it is about: the request names no project. */
  workflow?: PlaceText;
}

const queryKey = { project: "query projectKey" } as const;
const sentProject = { project: "body project_key" } as const;
const inPath = { ...queryKey, environment: "path envName", collaboration: true } as const;
const inQuery = { ...queryKey, environment: "query envName", collaboration: true } as const;
const inBody = { ...queryKey, environment: "body env_key", collaboration: true } as const;
const imageUpdate = {
  allow: ["config_environment", "manage_environment", "config_production_environment", "edit_production_environment"],
  project: "body product_name",
  environment: "path envName",
  collaboration: true,
} as const;
const inBodyOrQuery = { ...queryKey, environment: ["body env_key", "query env_name"], collaboration: true } as const;

/** `PA` of the namespace `*` is the system administrator. */
const ofNamespace = { allow: "PA", project: "query namespace" } as const;

/** The endpoints of a record that jobs refer to (decisions 3.7, 7.7). */
const records = (path: string): Readonly<Record<string, ExpectedPermission>> => ({
  [`GET ${path}`]: { allow: "SA" },
  [`POST ${path}`]: { allow: "SA" },
  [`GET ${path}/{id}`]: { allow: "SA" },
  [`PUT ${path}/{id}`]: { allow: "SA" },
  [`DELETE ${path}/{id}`]: { allow: "SA" },
});

/** What starts workflows by itself (decisions 12.9): reads name the workflow in the query or in the path. */
const triggers = (kind: string, workflow: "query" | "path"): Readonly<Record<string, ExpectedPermission>> => {
  const path = `/api/aslan/workflow/v4/${kind}`;
  const inPath = { workflow: "path workflowName" } as const;
  const [read, one] = workflow === "path" ? ["/{workflowName}", "/{hookName}"] : ["", "/trigger/{name}"];
  return {
    [`GET ${path}${read}`]: { allow: "get_workflow", workflow: `${workflow} workflowName` },
    [`GET ${path}${read}/preset`]: { allow: "get_workflow", workflow: `${workflow} workflowName` },
    [`POST ${path}/{workflowName}`]: { allow: "edit_workflow", ...inPath },
    [`PUT ${path}/{workflowName}`]: { allow: "edit_workflow", ...inPath },
    [`DELETE ${path}/{workflowName}${one}`]: { allow: "edit_workflow", ...inPath },
  };
};

/** Of release plans the console's paths are mirrored; the plan itself decides who moves or edits it. */
const ofPlans = (path: string): Readonly<Record<string, ExpectedPermission>> => ({
  [`GET ${path}/{id}/job/{jobID}`]: { allow: "get_release_plan" },
  [`PUT ${path}/{id}`]: { allow: "any" },
  [`POST ${path}/{id}/preview`]: { allow: "get_release_plan" },
  [`POST ${path}/{id}/copy`]: { allow: "create_release_plan" },
  [`DELETE ${path}/{id}`]: { allow: "delete_release_plan" },
  [`GET ${path}/{id}/logs`]: { allow: "get_release_plan" },
  [`GET ${path}/statistics`]: { allow: "get_release_plan" },
  [`GET ${path}/calendar`]: { allow: "get_release_plan" },
  [`GET ${path}/{id}/check_update`]: { allow: "any" },
  [`GET ${path}/{id}/versions/{version}/diff`]: { allow: "get_release_plan" },
  [`POST ${path}/{id}/status/{status}`]: { allow: "any" },
  [`POST ${path}/{id}/approve`]: { allow: "any" },
  [`POST ${path}/{id}/execute`]: { allow: "any" },
  [`POST ${path}/{id}/skip`]: { allow: "any" },
  [`POST ${path}/{id}/retry`]: { allow: "any" },
  [`POST ${path}/{id}/rollback`]: { allow: "any" },
  [`GET ${path}/hook/setting`]: { allow: "any" },
  [`PUT ${path}/hook/setting`]: { allow: "edit_config_release_plan" },
  [`POST ${path}/hook/callback`]: { allow: "edit_config_release_plan" },
});

/** What the console does with delivery versions, and the OpenAPI too. */
const ofVersions = (path: string): Readonly<Record<string, ExpectedPermission>> => ({
  // Whoever asks: the version's project decides, in the use-case.
  [`GET ${path}/{id}`]: { allow: "any" },
  [`DELETE ${path}/{id}`]: { allow: "delete_delivery", ...queryKey },
  [`POST ${path}/k8s`]: { allow: "create_delivery", ...sentProject },
  [`POST ${path}/helm`]: { allow: "create_delivery", ...sentProject },
  [`POST ${path}/retry`]: { allow: "create_delivery", project: ["body project_key", "query projectKey"] },
});

/** Written from contract I 11 and I 13 with decisions 3.3, 3.6 and 3.7, not from the declarations. */
export const expectedPermissions: Readonly<Record<string, ExpectedPermission>> = {
  "GET /openapi.json": { allow: "public" },
  "POST /api/aslan/system/lark/{id}/webhook": { allow: "public" },
  "POST /api/aslan/system/dingtalk/{id}/webhook": { allow: "public" },
  "GET /api/aslan/system/workwx/{id}/webhook": { allow: "public" },
  "POST /api/aslan/system/workwx/{id}/webhook": { allow: "public" },

  "GET /openapi/delivery/releases": { allow: "get_delivery", ...queryKey },
  "GET /api/aslan/delivery/releases": { allow: "release_get" },
  "GET /api/directory/dc/releases": { allow: "release_get" },
  "GET /openapi/delivery/releases/detail": { allow: "get_delivery", ...queryKey },
  "GET /openapi/delivery/releases/{id}/manifest": { allow: "any" },
  "GET /openapi/delivery/releases/{id}/diff/{other}": { allow: "any" },
  // And get_delivery, where there is such a version.
  "POST /openapi/delivery/releases/{id}/deploy": {
    allow: ["config_environment", "config_production_environment"],
    ...inBody,
  },
  "GET /api/aslan/delivery/releases/labels": { allow: ["get_delivery", "create_delivery"], ...queryKey },
  "GET /api/aslan/delivery/releases/check": { allow: ["get_delivery", "create_delivery"], ...queryKey },
  "POST /api/aslan/delivery/releases/helm/global-variables": { allow: "any" },
  "GET /api/aslan/delivery/releases/helm/charts": { allow: "get_delivery", ...queryKey },
  "GET /api/aslan/delivery/releases/helm/charts/version": { allow: "role" },
  ...ofVersions("/openapi/delivery/releases"),
  ...ofVersions("/api/aslan/delivery/releases"),
  "GET /api/directory/dc/artifact": { allow: "delivery_get" },
  "GET /api/aslan/delivery/artifacts": { allow: "delivery_get" },
  "GET /api/aslan/delivery/artifacts/image": { allow: "delivery_get" },
  "GET /api/aslan/delivery/artifacts/{id}": { allow: "delivery_get" },
  "POST /api/aslan/delivery/artifacts/{id}/activities": { allow: "delivery_get" },
  "GET /openapi/artifacts/trace": { allow: "filtered" },

  "GET /openapi/release_plan/v1": { allow: "any" },
  "GET /openapi/release_plan/v1/{id}": { allow: "any" },
  "POST /openapi/release_plan/v1": { allow: "create_release_plan" },
  "PATCH /openapi/release_plan/v1/{id}": { allow: "any" },
  "GET /api/aslan/release_plan/v1": { allow: "get_release_plan" },
  "GET /api/aslan/release_plan/v1/{id}": { allow: "get_release_plan" },
  "POST /api/aslan/release_plan/v1": { allow: "create_release_plan" },
  ...ofPlans("/openapi/release_plan/v1"),
  ...ofPlans("/api/aslan/release_plan/v1"),
  "POST /api/callback/release_plan": { allow: "edit_config_release_plan" },
  "GET /openapi/release_plan/v1/freezes": { allow: "any" },
  "POST /openapi/release_plan/v1/freezes": { allow: ["edit_config_release_plan", "PA of any"] },
  "PUT /openapi/release_plan/v1/freezes/{freezeId}": { allow: ["edit_config_release_plan", "PA of any"] },
  "DELETE /openapi/release_plan/v1/freezes/{freezeId}": { allow: ["edit_config_release_plan", "PA of any"] },

  "GET /openapi/statistics/overview": { allow: "role" },
  "GET /openapi/statistics/build": { allow: "role" },
  "GET /openapi/statistics/deploy": { allow: "role" },
  "GET /openapi/statistics/test": { allow: "role" },
  "GET /openapi/statistics/v2/release": { allow: "role" },
  "GET /openapi/statistics/v2/rollback/detail": { allow: "filtered" },
  "GET /openapi/statistics/dora": { allow: "filtered" },
  "GET /openapi/statistics/cost": { allow: ["SA", "PA of any"] },

  "GET /api/aslan/system/initialization/status": { allow: "public" },
  "POST /api/aslan/system/initialization/user": { allow: "public" },
  "GET /api/v1/login-enabled": { allow: "public" },
  "POST /api/v1/login": { allow: "public" },
  "GET /api/v1/sso/login": { allow: "public" },
  "GET /api/v1/sso/callback": { allow: "public" },
  "GET /api/v1/logout": { allow: "any" },
  "POST /api/v1/logout": { allow: "any" },
  "GET /openapi/users": { allow: "SA" },
  "GET /openapi/users/{uid}": { allow: "SA or self" },
  "DELETE /openapi/users/{uid}": { allow: "SA" },
  "POST /api/v1/users": { allow: "SA" },
  "GET /api/v1/users/{uid}": { allow: "SA or self" },
  "PUT /api/v1/users/{uid}": { allow: "SA" },
  "DELETE /api/v1/users/{uid}": { allow: "SA" },
  "GET /api/v1/users/{uid}/personal": { allow: "self" },
  "PUT /api/v1/users/{uid}/personal": { allow: "self" },
  "PUT /api/v1/users/{uid}/password": { allow: "self" },
  "POST /api/v1/users/search": { allow: "SA" },
  "POST /api/v1/users/brief": { allow: "role" },
  "GET /api/v1/users/count": { allow: "role" },
  "GET /api/v1/users/check/duplicate": { allow: "role" },
  "POST /api/v1/users/{uid}/token": { allow: "self" },
  "GET /openapi/users/{uid}/tokens": { allow: "SA or self" },
  "POST /openapi/users/{uid}/tokens": { allow: "self" },
  "POST /openapi/users/{uid}/tokens/{tokenId}/rotate": { allow: "self" },
  "DELETE /openapi/users/{uid}/tokens/{tokenId}": { allow: "SA or self" },
  "GET /openapi/user-groups": { allow: "SA" },
  "GET /api/v1/user-group": { allow: "role" },
  "POST /api/v1/user-group": { allow: "SA" },
  "GET /api/v1/user-group/{id}": { allow: "SA" },
  "PUT /api/v1/user-group/{id}": { allow: "SA" },
  "DELETE /api/v1/user-group/{id}": { allow: "SA" },
  "POST /api/v1/user-group/{id}/bulk-create-users": { allow: "SA" },
  "POST /api/v1/user-group/{id}/bulk-delete-users": { allow: "SA" },
  "GET /api/v1/policy/permission": { allow: "filtered" },
  "GET /api/v1/policy/permission/project/{name}": { allow: "any", project: "path name" },
  "GET /api/aslan/system/security": { allow: "SA" },
  "POST /api/aslan/system/security": { allow: "SA" },
  "GET /api/aslan/system/concurrency/workflow": { allow: "SA" },
  "POST /api/aslan/system/concurrency/workflow": { allow: "SA" },
  "GET /api/aslan/system/prices": { allow: "SA" },
  "POST /api/aslan/system/prices": { allow: "SA" },
  "GET /openapi/system/operation": { allow: "get_log_operation" },
  "GET /openapi/system/operation/export": { allow: "get_log_operation" },
  "GET /openapi/system/operation/env": { allow: "PA", ...queryKey, environment: "query envName" },

  "GET /openapi/policy/resource-actions": { allow: "PA", project: "query projectName" },
  "GET /openapi/policy/roles": ofNamespace,
  "GET /openapi/policy/roles/{name}": ofNamespace,
  "POST /openapi/policy/roles": ofNamespace,
  "PUT /openapi/policy/roles/{name}": ofNamespace,
  "DELETE /openapi/policy/roles/{name}": ofNamespace,
  "GET /openapi/policy/role-bindings": ofNamespace,
  "POST /openapi/policy/role-bindings": ofNamespace,
  "POST /openapi/policy/role-bindings/user/{uid}": ofNamespace,
  "DELETE /openapi/policy/role-bindings/user/{uid}": ofNamespace,
  "POST /openapi/policy/role-bindings/group/{gid}": ofNamespace,
  "DELETE /openapi/policy/role-bindings/group/{gid}": ofNamespace,

  "POST /openapi/collaborations": { allow: "PA", project: "body project_key" },
  "DELETE /openapi/collaborations/{name}": { allow: "PA", ...queryKey },

  "GET /openapi/system/cluster": { allow: "role" },
  "POST /openapi/system/cluster": { allow: "SA" },
  "PUT /openapi/system/cluster/{id}": { allow: "SA" },
  "DELETE /openapi/system/cluster/{id}": { allow: "SA" },
  "GET /openapi/cluster/istio/check/{id}": { allow: "role" },
  "GET /openapi/system/registry": { allow: "role" },
  "POST /openapi/system/registry": { allow: "SA" },
  "GET /openapi/system/registry/{id}": { allow: "SA" },
  "PUT /openapi/system/registry/{id}": { allow: "SA" },
  "DELETE /api/aslan/system/registry/namespaces/{id}": { allow: "SA" },
  "POST /api/aslan/system/registry/validate": { allow: "SA" },
  "POST /api/aslan/system/registry/images": { allow: "role" },

  "POST /openapi/projects/project": { allow: "SA" },
  "POST /openapi/projects/project/init/yaml": { allow: "SA" },
  "POST /openapi/projects/project/init/helm": { allow: "SA" },
  "GET /openapi/projects/project": { allow: "filtered" },
  "GET /openapi/projects/project/detail": { allow: "M", ...queryKey },
  "DELETE /openapi/projects/project": { allow: "PA", ...queryKey },
  "GET /openapi/projects/project/globalVariable": { allow: ["get_service", "get_environment"], ...queryKey },
  "GET /openapi/projects/project/deliveryHook": { allow: "PA", ...queryKey },
  "PUT /openapi/projects/project/deliveryHook": { allow: "PA", ...queryKey },
  "GET /openapi/projects/project/verification": { allow: "PA", ...queryKey },
  "PUT /openapi/projects/project/verification": { allow: "PA", ...queryKey },
  "GET /api/aslan/project/products/{name}/searching-rules": { allow: "get_service", project: "path name" },
  "PUT /api/aslan/project/products/{name}/searching-rules": { allow: "edit_service", project: "path name" },
  "PUT /api/aslan/project/products/{name}/globalVariables": { allow: "edit_service", project: "path name" },
  "PUT /api/aslan/project/products/{name}/productionGlobalVariables": {
    allow: "edit_production_service",
    project: "path name",
  },

  "GET /openapi/service/yaml/services": { allow: "get_service", ...queryKey },
  "GET /openapi/service/yaml/production/services": { allow: "get_production_service", ...queryKey },
  "GET /openapi/service/yaml/{serviceName}": { allow: "get_service", ...queryKey },
  "GET /openapi/service/yaml/production/{serviceName}": { allow: "get_production_service", ...queryKey },
  "GET /openapi/service/yaml/{serviceName}/labels": { allow: "get_service", ...queryKey },
  "POST /openapi/service/template/load/yaml": { allow: "create_service", project: "body project_key" },
  "POST /openapi/service/template/production/load/yaml": {
    allow: "create_production_service",
    project: "body project_key",
  },
  "POST /openapi/service/template/load/helm": {
    allow: "create_service",
    ...queryKey,
    inProduction: { place: "body production", allow: "create_production_service" },
  },
  "POST /openapi/service/helm/load": {
    allow: "create_service",
    ...queryKey,
    inProduction: { place: "body production", allow: "create_production_service" },
  },
  "GET /api/aslan/template/charts": { allow: "SA" },
  "POST /api/aslan/template/charts": { allow: "SA" },
  "GET /api/aslan/template/charts/{name}": { allow: "SA" },
  "PUT /api/aslan/template/charts/{name}": { allow: "SA" },
  "DELETE /api/aslan/template/charts/{name}": { allow: "SA" },
  "POST /api/aslan/template/charts/{name}/upload": { allow: "SA" },
  "POST /api/aslan/template/charts/{name}/reference": { allow: "SA" },
  "GET /api/aslan/template/yaml": { allow: "SA" },
  "POST /api/aslan/template/yaml": { allow: "SA" },
  "GET /api/aslan/template/yaml/{id}": { allow: "SA" },
  "PUT /api/aslan/template/yaml/{id}": { allow: "SA" },
  "DELETE /api/aslan/template/yaml/{id}": { allow: "SA" },
  "POST /api/aslan/template/yaml/{id}/reference": { allow: "SA" },
  "GET /api/aslan/system/labels": { allow: "SA" },
  "POST /api/aslan/system/labels": { allow: "SA" },
  "PUT /api/aslan/system/labels/{id}": { allow: "SA" },
  "DELETE /api/aslan/system/labels/{id}": { allow: "SA" },
  "POST /api/aslan/service/labels": { allow: "edit_service", project: "body project_key" },
  "DELETE /api/aslan/service/labels": { allow: "edit_service", project: "body project_key" },
  ...records("/api/aslan/system/codehosts"),
  ...records("/api/aslan/system/basicImages"),
  ...records("/api/aslan/system/sonar/integration"),
  ...records("/api/aslan/system/observability"),
  ...records("/api/aslan/system/helm"),
  "POST /api/aslan/system/helm/{id}/test": { allow: "SA" },
  ...records("/api/aslan/template/dockerfile"),
  ...records("/api/aslan/template/build"),
  "POST /openapi/quality/testing": { allow: "create_test", ...sentProject },
  "PUT /openapi/quality/testing": { allow: "edit_test", ...sentProject },
  "DELETE /openapi/quality/testing": { allow: "delete_test", ...queryKey },
  "GET /openapi/quality/testing": { allow: "get_test", ...queryKey },
  "GET /openapi/quality/testing/{testName}": { allow: ["get_test", "run_test"], ...queryKey },
  "POST /openapi/quality/codescan": { allow: "create_scan", ...sentProject },
  "PUT /openapi/quality/codescan": { allow: "edit_scan", ...sentProject },
  "DELETE /openapi/quality/codescan": { allow: "delete_scan", ...queryKey },
  "GET /openapi/quality/codescan": { allow: "get_scan", ...queryKey },
  "GET /openapi/quality/codescan/{scanName}": { allow: "get_scan", ...queryKey },
  "POST /openapi/quality/codescan/{scanName}/task": { allow: "run_scan", ...queryKey },
  "GET /openapi/quality/codescan/{scanName}/task/{taskID}": { allow: "get_scan", ...queryKey },
  "POST /openapi/quality/testing/task": { allow: "run_test", project: "body project_key" },
  "GET /openapi/quality/testing/{testName}/task/{taskID}": { allow: "get_test", ...queryKey },
  "POST /openapi/build": { allow: "create_build", ...sentProject },
  "PUT /openapi/build": { allow: "edit_build", ...sentProject },
  "PUT /openapi/build/{buildName}/template": { allow: "edit_build", ...sentProject },
  "GET /openapi/build": { allow: ["get_build", "config_environment"], collaboration: "any", ...queryKey },
  "GET /openapi/build/{buildName}/detail": { allow: "get_build", ...queryKey },
  "DELETE /openapi/build": { allow: "delete_build", ...queryKey },
  "GET /api/aslan/system/email/host": { allow: "SA" },
  "POST /api/aslan/system/email/host": { allow: "SA" },
  "PUT /api/aslan/system/email/host": { allow: "SA" },
  "DELETE /api/aslan/system/email/host": { allow: "SA" },
  "GET /api/aslan/system/webhook/workflow": { allow: "SA" },
  "POST /api/aslan/system/webhook/workflow": { allow: "SA" },
  ...records("/api/aslan/system/im-apps"),
  "GET /api/aslan/cluster/clusters/{id}/strategy": { allow: "SA" },
  "POST /api/aslan/cluster/clusters/{id}/strategy": { allow: "SA" },
  "PUT /api/aslan/cluster/clusters/{id}/strategy": { allow: "SA" },
  "DELETE /api/aslan/cluster/clusters/{id}/strategy/{strategyId}": { allow: "SA" },
  "POST /openapi/service/yaml/raw": { allow: "create_service", ...queryKey },
  "POST /openapi/service/yaml/production/raw": { allow: "create_production_service", ...queryKey },
  "PUT /openapi/service/yaml/{serviceName}": { allow: "edit_service", ...queryKey },
  "PUT /openapi/service/yaml/production/{serviceName}": { allow: "edit_production_service", ...queryKey },
  "PUT /openapi/service/yaml/{serviceName}/variable": { allow: "edit_service", ...queryKey },
  "PUT /openapi/service/yaml/production/{serviceName}/variable": { allow: "edit_production_service", ...queryKey },
  "DELETE /openapi/service/yaml/{serviceName}": { allow: "delete_service", ...queryKey },
  "DELETE /openapi/service/yaml/production/{serviceName}": { allow: "delete_production_service", ...queryKey },

  "GET /openapi/environments": { allow: "filtered", ...queryKey },
  "GET /openapi/environments/production": { allow: "filtered", ...queryKey },
  "GET /openapi/environments/{envName}": { allow: "get_environment", ...inPath },
  "GET /openapi/environments/production/{envName}": { allow: "get_production_environment", ...inPath },
  "GET /openapi/environments/{envName}/drift": { allow: "get_environment", ...inPath },
  "GET /openapi/environments/production/{envName}/drift": { allow: "get_production_environment", ...inPath },
  "GET /openapi/environments/kube/events": {
    allow: ["get_environment", "get_production_environment"],
    ...inQuery,
  },
  "GET /openapi/logs/sse/pods/{podName}/containers/{containerName}": {
    allow: ["get_environment", "get_production_environment"],
    ...inQuery,
  },
  "GET /openapi/environments/{envName}/services/{serviceName}": { allow: "get_environment", ...inPath },
  "GET /openapi/environments/production/{envName}/services/{serviceName}": {
    allow: ["get_production_environment", "edit_production_environment"],
    ...inPath,
  },
  "GET /openapi/environments/services/yaml": { allow: "get_environment", ...inQuery },
  "GET /openapi/environments/service/yaml": { allow: "get_environment", ...inQuery },
  "GET /openapi/environments/production/services/yaml": { allow: "get_production_environment", ...inQuery },
  "GET /openapi/environments/production/service/yaml": { allow: "get_production_environment", ...inQuery },
  "POST /openapi/environments": { allow: "create_environment", ...queryKey },
  "POST /openapi/environments/production": { allow: "create_production_environment", ...queryKey },
  "POST /openapi/environments/helm": {
    allow: "create_environment",
    ...queryKey,
    inProduction: { place: "body production", allow: "create_production_environment" },
  },
  "POST /openapi/environments/helm/{envName}/services": {
    allow: ["config_environment", "config_production_environment"],
    ...inPath,
  },
  "GET /openapi/environments/{envName}/defaultValues": {
    allow: ["get_environment", "get_production_environment"],
    ...inPath,
  },
  "PUT /openapi/environments/{envName}/defaultValues": {
    allow: ["config_environment", "config_production_environment"],
    ...inPath,
  },
  "GET /openapi/environments/service/values": { allow: "get_environment", ...inQuery },
  "GET /openapi/environments/production/service/values": { allow: "get_production_environment", ...inQuery },
  "DELETE /openapi/environments/{envName}": {
    allow: "delete_environment",
    ...queryKey,
    environment: "path envName",
  },
  "DELETE /openapi/environments/production/{envName}": {
    allow: "delete_production_environment",
    ...queryKey,
    environment: "path envName",
  },
  "PUT /openapi/environments/{envName}": { allow: "config_environment", ...inPath },
  "PUT /openapi/environments/production/{envName}": { allow: "config_production_environment", ...inPath },
  "GET /openapi/environments/{envName}/service/{serviceName}/versions": { allow: "get_environment", ...inPath },
  "GET /openapi/environments/{envName}/service/{serviceName}/versions/{a}/diff/{b}": {
    allow: "get_environment",
    ...inPath,
  },
  "POST /openapi/environments/{envName}/service/{serviceName}/versions/{revision}/rollback": {
    allow: ["manage_environment", "rollback_environment"],
    ...inPath,
  },
  "GET /openapi/environments/production/{envName}/service/{serviceName}/versions": {
    allow: "get_production_environment",
    ...inPath,
  },
  "GET /openapi/environments/production/{envName}/service/{serviceName}/versions/{a}/diff/{b}": {
    allow: "get_production_environment",
    ...inPath,
  },
  "POST /openapi/environments/production/{envName}/service/{serviceName}/versions/{revision}/rollback": {
    allow: ["edit_production_environment", "rollback_production_environment"],
    ...inPath,
  },
  "GET /openapi/environments/{envName}/check/workloads/k8sservices": { allow: "config_environment", ...inPath },
  "GET /openapi/environments/{envName}/check/workloads/k8services": { allow: "config_environment", ...inPath },
  "POST /openapi/environments/{envName}/share/enable": { allow: "config_environment", ...inPath },
  "DELETE /openapi/environments/{envName}/share/enable": { allow: "config_environment", ...inPath },
  "GET /openapi/environments/{envName}/check/sharenv/{op}/ready": { allow: "config_environment", ...inPath },
  "GET /openapi/environments/{envName}/share/portal/{serviceName}": { allow: "config_environment", ...inPath },
  "POST /openapi/environments/{envName}/share/portal/{serviceName}": { allow: "config_environment", ...inPath },
  "GET /openapi/environments/production/{envName}/check/workloads/k8sservices": {
    allow: "config_production_environment",
    ...inPath,
  },
  "GET /openapi/environments/production/{envName}/check/workloads/k8services": {
    allow: "config_production_environment",
    ...inPath,
  },
  "POST /openapi/environments/production/{envName}/share/enable": {
    allow: "config_production_environment",
    ...inPath,
  },
  "DELETE /openapi/environments/production/{envName}/share/enable": {
    allow: "config_production_environment",
    ...inPath,
  },
  "GET /openapi/environments/production/{envName}/check/sharenv/{op}/ready": {
    allow: "config_production_environment",
    ...inPath,
  },
  "GET /openapi/environments/production/{envName}/share/portal/{serviceName}": {
    allow: "config_production_environment",
    ...inPath,
  },
  "POST /openapi/environments/production/{envName}/share/portal/{serviceName}": {
    allow: "config_production_environment",
    ...inPath,
  },
  "POST /openapi/environments/{envName}/sleep": { allow: "manage_environment", ...inPath },
  "POST /openapi/environments/production/{envName}/sleep": { allow: "edit_production_environment", ...inPath },
  "GET /openapi/environments/{envName}/sleep/schedule": {
    allow: ["manage_environment", "get_environment"],
    ...inPath,
  },
  "GET /openapi/environments/production/{envName}/sleep/schedule": {
    allow: ["edit_production_environment", "get_production_environment"],
    ...inPath,
  },
  "PUT /openapi/environments/{envName}/sleep/schedule": { allow: "manage_environment", ...inPath },
  "PUT /openapi/environments/production/{envName}/sleep/schedule": { allow: "edit_production_environment", ...inPath },
  "POST /openapi/environments/{envName}/wake": { allow: "manage_environment", ...inPath },
  "POST /openapi/environments/production/{envName}/wake": { allow: "edit_production_environment", ...inPath },
  "POST /openapi/environments/service/yaml": { allow: "config_environment", ...inBody },
  "PUT /openapi/environments/service/yaml": { allow: "config_environment", ...inBody },
  "PUT /openapi/environments/{envName}/services": { allow: "config_environment", ...inPath },
  "DELETE /openapi/environments/service/yaml": { allow: "config_environment", ...inBodyOrQuery },
  "POST /openapi/environments/production/service/yaml": { allow: "config_production_environment", ...inBody },
  "PUT /openapi/environments/production/service/yaml": { allow: "config_production_environment", ...inBody },
  "PUT /openapi/environments/production/{envName}/services": { allow: "config_production_environment", ...inPath },
  "DELETE /openapi/environments/production/service/yaml": {
    allow: "config_production_environment",
    ...inBodyOrQuery,
  },

  "POST /openapi/environments/{envName}/envcfgs": { allow: "config_environment", ...inPath },
  "GET /openapi/environments/{envName}/envcfgs": { allow: "get_environment", ...inPath },
  "GET /openapi/environments/{envName}/envcfg/{envCfgName}": { allow: "get_environment", ...inPath },
  "GET /openapi/environments/{envName}/envcfg/{envCfgName}/history": { allow: "get_environment", ...inPath },
  "PUT /openapi/environments/envcfgs": { allow: "config_environment", ...inBody },
  "DELETE /openapi/environments/{envName}/envcfg/{envCfgName}": { allow: "config_environment", ...inPath },
  "GET /openapi/environments/{envName}/variable": { allow: "get_environment", ...inPath },
  "PUT /openapi/environments/{envName}/variable": { allow: "config_environment", ...inPath },
  "POST /openapi/environments/production/{envName}/envcfgs": { allow: "config_production_environment", ...inPath },
  "GET /openapi/environments/production/{envName}/envcfgs": { allow: "get_production_environment", ...inPath },
  "GET /openapi/environments/production/{envName}/envcfg/{envCfgName}": {
    allow: "get_production_environment",
    ...inPath,
  },
  "GET /openapi/environments/production/{envName}/envcfg/{envCfgName}/history": {
    allow: "get_production_environment",
    ...inPath,
  },
  "PUT /openapi/environments/production/envcfgs": { allow: "config_production_environment", ...inBody },
  "DELETE /openapi/environments/production/{envName}/envcfg/{envCfgName}": {
    allow: "config_production_environment",
    ...inPath,
  },
  "GET /openapi/environments/production/{envName}/variable": { allow: "get_production_environment", ...inPath },
  "PUT /openapi/environments/production/{envName}/variable": { allow: "config_production_environment", ...inPath },

  "POST /openapi/environments/{envName}/service/{serviceName}/restart": {
    allow: ["manage_environment", "restart_environment"],
    ...inPath,
  },
  "POST /openapi/environments/production/{envName}/service/{serviceName}/restart": {
    allow: ["edit_production_environment", "restart_production_environment"],
    ...inPath,
  },
  "POST /openapi/environments/{envName}/service/{serviceName}/test": {
    allow: ["manage_environment", "restart_environment"],
    ...inPath,
  },
  "POST /openapi/environments/production/{envName}/service/{serviceName}/test": {
    allow: ["edit_production_environment", "restart_production_environment"],
    ...inPath,
  },
  "POST /openapi/environments/{envName}/pod/{podName}/restart": {
    allow: ["manage_environment", "restart_environment"],
    ...inPath,
  },
  "POST /openapi/environments/production/{envName}/pod/{podName}/restart": {
    allow: ["edit_production_environment", "restart_production_environment"],
    ...inPath,
  },
  "GET /openapi/environments/{envName}/service/{serviceName}/pods": { allow: "get_environment", ...inPath },
  "GET /openapi/environments/production/{envName}/service/{serviceName}/pods": {
    allow: "get_production_environment",
    ...inPath,
  },
  "POST /openapi/environments/scale": {
    allow: ["manage_environment", "scale_environment", "edit_production_environment", "scale_production_environment"],
    project: "body project_key",
    environment: "body env_key",
    collaboration: true,
  },
  "POST /openapi/environments/image/deployment/{envName}": imageUpdate,
  "POST /openapi/environments/image/statefulset/{envName}": imageUpdate,
  "POST /openapi/environments/image/cronjob/{envName}": imageUpdate,
  "POST /openapi/environments/image/job/{envName}": imageUpdate,

  "GET /openapi/events/stream": { allow: "filtered" },
  "GET /openapi/logs/sse/v4/workflow/{workflowName}/{taskID}/{jobName}/{lines}": {
    allow: "get_workflow",
    workflow: "path workflowName",
  },
  "GET /openapi/logs/log/v4/workflow/{workflowName}/{taskID}/{jobName}": {
    allow: "get_workflow",
    workflow: "path workflowName",
  },
  "GET /openapi/logs/files/v4/workflow/{workflowName}/{taskID}/{jobName}": {
    allow: "get_workflow",
    workflow: "path workflowName",
  },
  "GET /api/aslan/logs/files/testing/{testName}/tasks/{taskID}": { allow: "get_test", ...queryKey },
  "GET /api/aslan/logs/files/scanning/{scanName}/task/{taskID}": { allow: "get_scan", ...queryKey },
  "GET /api/aslan/logs/sse/testing/{testName}/tasks/{taskID}": { allow: "get_test", ...queryKey },
  "GET /api/aslan/logs/log/testing/{testName}/tasks/{taskID}": { allow: "get_test", ...queryKey },
  "GET /api/aslan/logs/sse/scanning/{scanName}/task/{taskID}": { allow: "get_scan", ...queryKey },
  "GET /api/aslan/logs/log/scanning/{scanName}/task/{taskID}": { allow: "get_scan", ...queryKey },
  "GET /openapi/workflows": { allow: "M", ...queryKey },
  "GET /openapi/workflows/custom/{workflowKey}/detail": { allow: "get_workflow", ...queryKey },
  "POST /openapi/workflows/custom": { allow: "create_workflow", project: "body project" },
  "PUT /openapi/workflows/custom/{name}": { allow: "edit_workflow", project: "body project" },
  "DELETE /openapi/workflows/custom": { allow: "delete_workflow", ...queryKey },
  "GET /api/aslan/workflow/v4": { allow: "M", ...queryKey },
  "POST /api/aslan/workflow/v4": { allow: "create_workflow", project: "body project" },
  "PUT /api/aslan/workflow/v4/{name}": { allow: "edit_workflow", project: "body project" },
  "DELETE /api/aslan/workflow/v4/{name}": { allow: "delete_workflow", ...queryKey },
  "GET /api/aslan/workflow/v4/name/{name}": { allow: "get_workflow", ...queryKey },
  "GET /api/aslan/workflow/v4/preset/{name}": { allow: "get_workflow", ...queryKey },
  "POST /api/aslan/workflow/v4/lint": { allow: ["create_workflow", "edit_workflow"], project: "body project" },
  "GET /api/aslan/workflow/v4/deliveries": {
    ...{ allow: "get_workflow", ...queryKey, workflow: "query workflowKey" },
  },
  ...triggers("generalhook", "path"),
  ...triggers("jirahook", "path"),
  ...triggers("workflowhook", "path"),
  ...triggers("cron", "query"),
  ...triggers("webhook", "query"),
  "POST /api/aslan/webhook": { allow: "public" },
  "POST /api/aslan/workflow/v4/generalhook/{workflowName}/{hookName}/webhook": { allow: "public" },
  "POST /api/aslan/workflow/v4/jirahook/{workflowName}/{hookName}/webhook": { allow: "public" },
  "GET /api/aslan/workflow/v4/triggerdelivery/{workflowName}": {
    ...{ allow: "get_workflow", workflow: "path workflowName" },
  },
  "POST /api/aslan/workflow/v4/triggerdelivery/{workflowName}/{deliveryId}/replay": {
    ...{ allow: "run_workflow", workflow: "path workflowName" },
  },
  "GET /openapi/workflows/view": { allow: "M", ...queryKey },
  "POST /openapi/workflows/view": { allow: "PA", project: "body project_key" },
  "PUT /openapi/workflows/view/{viewName}": { allow: "PA", ...queryKey },
  "DELETE /openapi/workflows/view/{viewName}": { allow: "PA", ...queryKey },
  "GET /api/directory/workflowTask": { allow: "filtered" },
  "POST /api/directory/workflowTask/create": {
    ...{ allow: "run_workflow", workflow: "body workflow_name" },
  },
  "POST /api/directory/workflowTask/id/{id}/pipelines/{pipelineName}/restart": {
    ...{ allow: "run_workflow", workflow: "path pipelineName" },
  },
  "POST /api/directory/workflowTask/id/{id}/pipelines/{pipelineName}/cancel": {
    ...{ allow: "run_workflow", workflow: "path pipelineName" },
  },
  "GET /api/directory/workflowTask/id/{id}/pipelines/{pipelineName}": {
    ...{ allow: "get_workflow", workflow: "path pipelineName" },
  },
  "POST /openapi/workflows/custom/task": {
    ...{ allow: "run_workflow", project: "body project_key", workflow: "body workflow_key" },
  },
  "GET /openapi/workflows/custom/{workflowKey}/tasks": { allow: "get_workflow", ...queryKey },
  "GET /openapi/workflows/custom/task": { allow: "get_workflow", workflow: "query workflowKey" },
  "DELETE /openapi/workflows/custom/task": { allow: "run_workflow", workflow: "query workflowKey" },
  "POST /openapi/workflows/custom/{workflowKey}/task/{taskID}": { allow: "run_workflow", ...queryKey },
  "PUT /openapi/workflows/custom/{workflowKey}/task/{taskID}": { allow: "run_workflow", ...queryKey },
  "GET /openapi/workflows/custom/{workflowKey}/task/{taskID}/manual-exec": { allow: "get_workflow", ...queryKey },
  "POST /openapi/workflows/custom/{workflowKey}/task/{taskID}/manual-exec": { allow: "any", ...queryKey },
  "POST /openapi/workflows/custom/task/rollout": { allow: "run_workflow", workflow: "body workflow_key" },
  "POST /openapi/workflows/custom/task/approve": { allow: "any", workflow: "body workflow_key" },
  "POST /api/aslan/workflow/v4/workflowtask/approve": { allow: "any", workflow: "body workflow_name" },
  "POST /api/aslan/workflow/v4/workflowtask/handle/error": { allow: "any", workflow: "body workflow_name" },
  "GET /api/aslan/workflow/v4/workflowtask/workflow/{workflowName}/task/{taskId}": {
    ...{ allow: "get_workflow", workflow: "path workflowName" },
  },
  "DELETE /api/aslan/workflow/v4/workflowtask/workflow/{workflowName}/task/{taskId}": {
    ...{ allow: "run_workflow", workflow: "path workflowName" },
  },
  "POST /api/aslan/workflow/v4/workflowtask/retry/workflow/{workflowName}/task/{taskId}": {
    ...{ allow: "run_workflow", workflow: "path workflowName" },
  },
};
