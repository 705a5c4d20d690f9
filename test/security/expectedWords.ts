import type { PlaceText } from "./expectedPermissions.ts";

/** Words of an operation log as contract I 14 and decisions 3.7 fix them. */
export interface ExpectedWords {
  method: string;
  /** Instead of `method`, by what this place says. */
  methods?: { place: PlaceText; by: Readonly<Record<string, string>> };
  function: string;
  /** Instead of `function` where this place holds true. */
  inProduction?: { place: PlaceText; function: string };
  /** Where the text comes from; several are joined as the contract writes them. */
  detail:
    | PlaceText
    | "role name"
    | "identities and roles"
    | "mode and members"
    | readonly (PlaceText | `the word ${string}`)[]
    | "removed services"
    | "test name and -job"
    | "provider and namespace"
    | "";
  /** Present: scene `environment` with this environment as the only target. */
  environment?: PlaceText;
  /** Scene `project`; `targets` names the only target. */
  scene?: "project";
  targets?: PlaceText;
  /** Where the record's project key comes from; absent: an empty one. */
  project?: PlaceText;
  /** `none`: the contract says "no body". */
  body: "json" | "yaml" | "none";
  /** What is kept instead of the body. */
  kept?: PlaceText;
  /** Names the workflow whose project it is: the request names no project. */
  workflow?: PlaceText;
}

const queryKey = { project: "query projectKey" } as const;

function service(method: string, name: string, detail: PlaceText, body: ExpectedWords["body"]): ExpectedWords {
  return { method, function: `Project Management - ${name}`, detail, body, ...queryKey };
}

function workflow(method: string, detail: PlaceText, project: PlaceText, body: ExpectedWords["body"]): ExpectedWords {
  return { method, function: "Workflow", detail, project, body };
}

function view(method: string, detail: PlaceText, body: ExpectedWords["body"]): ExpectedWords {
  return { method, function: "Workflow View", detail, body, ...queryKey };
}

function ofTask(method: string, ofWorkflow: PlaceText, body: ExpectedWords["body"]): ExpectedWords {
  return { method, function: "Workflow Task", detail: ofWorkflow, workflow: ofWorkflow, body };
}

function legacy(method: string, ofWorkflow: PlaceText, body: ExpectedWords["body"]): ExpectedWords {
  return { method, function: "Workflow - Task", detail: ofWorkflow, workflow: ofWorkflow, body };
}

function trigger(method: string, body: ExpectedWords["body"]): ExpectedWords {
  return {
    method,
    function: "Workflow Trigger",
    detail: "path workflowName",
    workflow: "path workflowName",
    body,
  };
}

function taskInPath(method: string, body: ExpectedWords["body"]): ExpectedWords {
  return { method, function: "Workflow Task", detail: "path workflowKey", ...queryKey, body };
}

function environment(
  method: string,
  name: string,
  place: PlaceText,
  body: ExpectedWords["body"] = "json",
): ExpectedWords {
  return { method, function: name, detail: place, environment: place, body, ...queryKey };
}

function chart(method: string, detail: PlaceText, body: ExpectedWords["body"]): ExpectedWords {
  return { method, function: "Chart Template", detail, body };
}

function plan(method: string, detail: PlaceText, body: ExpectedWords["body"] = "json"): ExpectedWords {
  return { method, function: "Release Plan", detail, body };
}

const ofVersions = (path: string): Readonly<Record<string, ExpectedWords>> => ({
  [`DELETE ${path}/{id}`]: {
    method: "Delete",
    function: "Version Delivery",
    detail: "path id",
    ...queryKey,
    body: "none",
  },
  [`POST ${path}/k8s`]: {
    ...{ method: "Create", function: "Version Delivery", detail: "body version_name" },
    ...{ project: "body project_key", body: "json" },
  },
  [`POST ${path}/helm`]: {
    ...{ method: "Create", function: "Version Delivery", detail: "body version_name" },
    ...{ project: "body project_key", body: "json" },
  },
  [`POST ${path}/retry`]: {
    ...{ method: "Retry", function: "Version Delivery", detail: "body id" },
    ...{ project: "body project_key", body: "json" },
  },
});

const ofPlans = (path: string): Readonly<Record<string, ExpectedWords>> => ({
  [`PUT ${path}/{id}`]: plan("Update", "path id"),
  [`POST ${path}/{id}/copy`]: plan("Copy", "path id"),
  [`DELETE ${path}/{id}`]: plan("Delete", "path id", "none"),
  [`POST ${path}/{id}/status/{status}`]: plan("Update Status", "path id", "none"),
  [`POST ${path}/{id}/approve`]: plan("Approve", "path id"),
  [`POST ${path}/{id}/execute`]: plan("Execute", "path id"),
  [`POST ${path}/{id}/skip`]: plan("Skip", "path id"),
  [`POST ${path}/{id}/retry`]: plan("Retry", "path id"),
  [`POST ${path}/{id}/rollback`]: plan("Rollback", "path id", "none"),
  [`POST ${path}/hook/callback`]: plan("Callback", "body release_plan_id"),
  [`PUT ${path}/hook/setting`]: {
    method: "Update",
    function: "Release Plan Hook",
    detail: ["the word setting"],
    body: "json",
  },
});

function freeze(method: string, detail: PlaceText, body: ExpectedWords["body"]): ExpectedWords {
  return { method, function: "Release Freeze", detail, body };
}

/** What stands under "Resource Configuration". */
function resource(method: string, name: string, detail: ExpectedWords["detail"], body: ExpectedWords["body"]) {
  return { method, function: `Resource Configuration - ${name}`, detail, body };
}

const imageUpdate = (kind: string): ExpectedWords => ({
  ...environment("Update", "OpenAPI - Environment - Service Image", "path envName"),
  detail: ["path envName", "body service_name", `the word ${kind}`, "body name"],
  project: "body product_name",
});

const ofRole = (method: string, name: PlaceText, body: ExpectedWords["body"]): ExpectedWords => {
  return {
    method,
    function: "Role",
    detail: "role name",
    targets: name,
    body,
    scene: "project",
    project: "query namespace",
  };
};

const ofBinding = (method: string, body: ExpectedWords["body"]): ExpectedWords => {
  const detail = "identities and roles";
  return { method, function: "Role Binding", detail, body, scene: "project", project: "query namespace" };
};

const inPath = "path envName";
const inBody = "body env_key";
const updateService = "Environment Management - Update Service";

const configuration = (method: string, name: string, place: PlaceText): ExpectedWords => ({
  ...environment(method, name, place),
  detail: [place, "body common_env_cfg_type", "body name"],
});

/** A record that jobs refer to (decisions 3.7, 7.7). */
const records = (
  path: string,
  name: string,
  added: PlaceText,
  adding = "Add",
): Readonly<Record<string, ExpectedWords>> => ({
  [`POST ${path}`]: { method: adding, function: name, detail: added, body: "json" },
  [`PUT ${path}/{id}`]: { method: "Update", function: name, detail: "path id", body: "json" },
  [`DELETE ${path}/{id}`]: { method: "Delete", function: name, detail: "path id", body: "none" },
});

const ofBuild = (method: string, detail: PlaceText): ExpectedWords => {
  return { method, function: "Project Management - Build", detail, project: "body project_key", body: "json" };
};

const ofMailHost = (method: string, body: ExpectedWords["body"]): ExpectedWords => {
  return { method, function: "Notification Settings", detail: ["the word mail host"], body };
};

/** Written from contract I 14 and decisions 3.7, not from the declarations: every mutation. */
export const expectedWords: Readonly<Record<string, ExpectedWords>> = {
  "POST /openapi/delivery/releases/{id}/deploy": {
    ...{ method: "Deploy", function: "Version Delivery", detail: "path id", environment: "body env_key" },
    ...{ ...queryKey, body: "json" },
  },
  ...ofVersions("/openapi/delivery/releases"),
  ...ofVersions("/api/aslan/delivery/releases"),
  "POST /api/aslan/delivery/artifacts/{id}/activities": {
    ...{ method: "Add", function: "Artifact", detail: "path id", body: "json" },
  },
  "POST /openapi/release_plan/v1": plan("Create", "body name"),
  "PATCH /openapi/release_plan/v1/{id}": plan("Update", "body name"),
  "POST /api/aslan/release_plan/v1": plan("Create", "body name"),
  ...ofPlans("/openapi/release_plan/v1"),
  ...ofPlans("/api/aslan/release_plan/v1"),
  "POST /api/callback/release_plan": plan("Callback", "body release_plan_id"),
  "POST /openapi/release_plan/v1/freezes": freeze("Create", "body name", "json"),
  "PUT /openapi/release_plan/v1/freezes/{freezeId}": freeze("Update", "body name", "json"),
  "DELETE /openapi/release_plan/v1/freezes/{freezeId}": freeze("Delete", "path freezeId", "none"),
  "POST /api/aslan/system/initialization/user": {
    method: "Initialize",
    function: "System",
    detail: "body username",
    body: "json",
  },
  "POST /api/v1/login": { method: "Sign In", function: "User", detail: "body account", body: "json" },
  "GET /api/v1/sso/callback": { method: "Sign In", function: "User", detail: "", body: "none" },
  "GET /api/v1/logout": { method: "Sign Out", function: "User", detail: "", body: "none" },
  "POST /api/v1/logout": { method: "Sign Out", function: "User", detail: "", body: "none" },
  "POST /api/v1/users": { method: "Create", function: "User", detail: "body account", body: "json" },
  "PUT /api/v1/users/{uid}": { method: "Update", function: "User", detail: "path uid", body: "json" },
  "DELETE /api/v1/users/{uid}": { method: "Delete", function: "User", detail: "path uid", body: "none" },
  "DELETE /openapi/users/{uid}": { method: "Delete", function: "User", detail: "path uid", body: "none" },
  "PUT /api/v1/users/{uid}/personal": { method: "Update", function: "User", detail: "path uid", body: "json" },
  "PUT /api/v1/users/{uid}/password": { method: "Update", function: "Password", detail: "path uid", body: "json" },
  "POST /api/v1/users/{uid}/token": { method: "Create", function: "API Token", detail: "path uid", body: "none" },
  "POST /openapi/users/{uid}/tokens": {
    method: "Create",
    function: "API Token",
    detail: ["path uid", "body name"],
    body: "json",
  },
  "POST /openapi/users/{uid}/tokens/{tokenId}/rotate": {
    method: "Update",
    function: "API Token",
    detail: ["path uid", "path tokenId"],
    body: "none",
  },
  "DELETE /openapi/users/{uid}/tokens/{tokenId}": {
    method: "Delete",
    function: "API Token",
    detail: ["path uid", "path tokenId"],
    body: "none",
  },
  "DELETE /openapi/users/{uid}/sessions/{sessionId}": {
    method: "Sign Out",
    function: "User",
    detail: ["path uid", "path sessionId"],
    body: "none",
  },
  "POST /openapi/users/{uid}/mfa": { method: "Create", function: "Second Factor", detail: "path uid", body: "none" },
  "POST /openapi/users/{uid}/mfa/confirm": {
    method: "Enable",
    function: "Second Factor",
    detail: "path uid",
    body: "none",
  },
  "POST /openapi/users/{uid}/mfa/recovery-codes": {
    method: "Update",
    function: "Second Factor",
    detail: "path uid",
    body: "none",
  },
  "POST /openapi/users/{uid}/mfa/disable": {
    method: "Disable",
    function: "Second Factor",
    detail: "path uid",
    body: "none",
  },
  "DELETE /openapi/users/{uid}/mfa": { method: "Delete", function: "Second Factor", detail: "path uid", body: "none" },
  "POST /api/v1/user-group": { method: "Create", function: "User Group", detail: "body name", body: "json" },
  "PUT /api/v1/user-group/{id}": { method: "Update", function: "User Group", detail: "path id", body: "json" },
  "DELETE /api/v1/user-group/{id}": { method: "Delete", function: "User Group", detail: "path id", body: "none" },
  "POST /api/v1/user-group/{id}/bulk-create-users": {
    method: "Update",
    function: "User Group",
    detail: "path id",
    body: "json",
  },
  "POST /api/v1/user-group/{id}/bulk-delete-users": {
    method: "Update",
    function: "User Group",
    detail: "path id",
    body: "json",
  },
  "POST /api/aslan/system/security": { method: "Update", function: "Security Settings", detail: "", body: "json" },
  "POST /api/aslan/system/concurrency/workflow": {
    method: "Update",
    function: "Concurrency Settings",
    detail: "",
    body: "json",
  },
  "POST /api/aslan/system/prices": { method: "Update", function: "Price Settings", detail: "", body: "json" },
  "GET /api/v1/users/{uid}/personal": { method: "Create", function: "API Token", detail: "path uid", body: "none" },

  "POST /openapi/policy/roles": ofRole("Create", "body name", "json"),
  "PUT /openapi/policy/roles/{name}": ofRole("Update", "path name", "json"),
  "DELETE /openapi/policy/roles/{name}": ofRole("Delete", "path name", "none"),
  "POST /openapi/policy/role-bindings": ofBinding("Create", "json"),
  "POST /openapi/policy/role-bindings/user/{uid}": ofBinding("Update", "json"),
  "DELETE /openapi/policy/role-bindings/user/{uid}": ofBinding("Delete", "none"),
  "POST /openapi/policy/role-bindings/group/{gid}": ofBinding("Update", "json"),
  "DELETE /openapi/policy/role-bindings/group/{gid}": ofBinding("Delete", "none"),

  "POST /openapi/collaborations": {
    method: "Add",
    function: "Collaboration Mode",
    detail: "mode and members",
    project: "body project_key",
    body: "json",
  },
  "DELETE /openapi/collaborations/{name}": {
    method: "Delete",
    function: "Collaboration Mode",
    detail: "path name",
    ...queryKey,
    body: "none",
  },

  "POST /openapi/system/cluster": resource("Create", "Cluster", "body name", "none"),
  "PUT /openapi/system/cluster/{id}": resource("Update", "Cluster", "path id", "none"),
  "DELETE /openapi/system/cluster/{id}": resource("Delete", "Cluster", "path id", "none"),
  "POST /openapi/system/registry": resource("Add", "Image Repository", "provider and namespace", "json"),
  "PUT /openapi/system/registry/{id}": resource("Update", "Image Repository", "path id", "none"),
  "DELETE /api/aslan/system/registry/namespaces/{id}": resource("Delete", "Image Repository", "path id", "none"),
  "POST /api/aslan/system/registry/validate": resource(
    "Validate",
    "Image Repository",
    "provider and namespace",
    "json",
  ),

  "POST /openapi/projects/project": {
    ...service("Add", "Project", "body project_name", "json"),
    project: "body project_key",
  },
  "POST /openapi/projects/project/init/yaml": {
    ...service("Initialize", "K8S Project", "body project_name", "json"),
    project: "body project_key",
  },
  "POST /openapi/projects/project/init/helm": {
    ...service("Initialize", "Helm Project", "body project_name", "json"),
    project: "body project_key",
  },
  "DELETE /openapi/projects/project": service("Delete", "Project", "query projectKey", "none"),
  "PUT /openapi/projects/project/deliveryHook": {
    method: "Update",
    function: "Version Delivery",
    detail: "query projectKey",
    body: "json",
    project: "query projectKey",
  },
  "PUT /openapi/projects/project/verification": {
    method: "Update",
    function: "Image Verification",
    detail: "query projectKey",
    body: "json",
    project: "query projectKey",
  },
  "PUT /openapi/system/projects/{projectKey}/boundary": {
    method: "Update",
    function: "Project Boundary",
    detail: "path projectKey",
    body: "json",
    project: "path projectKey",
  },
  "PUT /openapi/system/projects/{projectKey}/retention": {
    method: "Update",
    function: "Project Retention",
    detail: "path projectKey",
    body: "json",
    project: "path projectKey",
  },
  "PUT /api/aslan/project/products/{name}/searching-rules": {
    ...service("Update", "Project", "path name", "json"),
    project: "path name",
  },
  "PUT /api/aslan/project/products/{name}/globalVariables": {
    method: "Update",
    function: "Project Global Variables",
    detail: "path name",
    body: "json",
    project: "path name",
  },
  "PUT /api/aslan/project/products/{name}/productionGlobalVariables": {
    method: "Update",
    function: "Project Global Variables",
    detail: "path name",
    body: "json",
    project: "path name",
  },

  "POST /openapi/service/template/load/yaml": {
    ...service("Add", "Test Service", "body service_name", "json"),
    project: "body project_key",
  },
  "POST /openapi/service/template/production/load/yaml": {
    ...service("Add", "Production Service", "body service_name", "json"),
    project: "body project_key",
  },
  "POST /openapi/service/template/load/helm": {
    ...service("Add", "Test Service", "body service_name", "json"),
    inProduction: { place: "body production", function: "Project Management - Production Service" },
  },
  "POST /openapi/service/helm/load": {
    ...service("Add", "Test Service", "body name", "json"),
    inProduction: { place: "body production", function: "Project Management - Production Service" },
  },
  "POST /openapi/service/loader/load": {
    ...service("Add", "Test Service", "query repoName", "json"),
    project: "body product_name",
    inProduction: { place: "query production", function: "Project Management - Production Service" },
  },
  "POST /api/aslan/template/charts": chart("Create", "body name", "json"),
  "PUT /api/aslan/template/charts/{name}": chart("Update", "path name", "json"),
  "DELETE /api/aslan/template/charts/{name}": chart("Delete", "path name", "none"),
  "POST /api/aslan/template/charts/{name}/upload": chart("Update", "path name", "none"),
  "POST /api/aslan/template/charts/{name}/reference": chart("Apply", "path name", "none"),
  "POST /api/aslan/template/yaml": {
    method: "Create",
    function: "YAML Template",
    detail: "body name",
    body: "json",
  },
  "PUT /api/aslan/template/yaml/{id}": {
    method: "Update",
    function: "YAML Template",
    detail: "path id",
    body: "json",
  },
  "DELETE /api/aslan/template/yaml/{id}": {
    method: "Delete",
    function: "YAML Template",
    detail: "path id",
    body: "none",
  },
  "POST /api/aslan/template/yaml/{id}/reference": {
    method: "Apply",
    function: "YAML Template",
    detail: "path id",
    body: "none",
  },
  "POST /api/aslan/system/labels": { method: "Create", function: "Label", detail: "body key", body: "json" },
  "PUT /api/aslan/system/labels/{id}": { method: "Update", function: "Label", detail: "path id", body: "json" },
  "DELETE /api/aslan/system/labels/{id}": { method: "Delete", function: "Label", detail: "path id", body: "none" },
  "POST /api/aslan/service/labels": {
    method: "Add",
    function: "Service Label",
    detail: "body service_name",
    project: "body project_key",
    body: "json",
  },
  "DELETE /api/aslan/service/labels": {
    method: "Remove",
    function: "Service Label",
    detail: "body service_name",
    project: "body project_key",
    body: "json",
  },
  ...records("/api/aslan/system/codehosts", "Code Host", "body alias"),
  ...records("/api/aslan/system/basicImages", "Base Image", "body label"),
  ...records("/api/aslan/system/sonar/integration", "Sonar Integration", "body system_identity"),
  ...records("/api/aslan/system/observability", "Metric Server", "body name"),
  ...records("/api/aslan/system/cicdTools", "Jenkins Server", "body name"),
  ...records("/api/aslan/system/dbinstance", "Database", "body name"),
  ...records("/api/aslan/system/configuration", "Configuration Server", "body system_identity"),
  ...records("/api/aslan/system/project_management", "Issue Tracker", "body system_identity"),
  ...records("/api/aslan/system/helm", "Chart Repository", "body repo_name", "Create"),
  ...records("/api/aslan/template/dockerfile", "Dockerfile Template", "body name"),
  ...records("/api/aslan/template/build", "Build Template", "body name"),
  "POST /openapi/quality/testing": { ...ofBuild("Create", "body name"), function: "Project Management - Test" },
  "PUT /openapi/quality/testing": { ...ofBuild("Update", "body name"), function: "Project Management - Test" },
  "DELETE /openapi/quality/testing": {
    ...{ method: "Delete", function: "Project Management - Test", detail: "query name", ...queryKey, body: "none" },
  },
  "POST /openapi/quality/testing/task": {
    ...{ method: "Add", function: "OpenAPI - Test Task", detail: "test name and -job" },
    ...{ project: "body project_key", body: "json" },
  },
  "POST /openapi/quality/codescan/{scanName}/task": {
    ...{ method: "Add", function: "Code Scanning Task", detail: "path scanName", ...queryKey, body: "json" },
  },
  "POST /openapi/quality/codescan": { ...ofBuild("Add", "body name"), function: "Project Management - Code Scan" },
  "PUT /openapi/quality/codescan": { ...ofBuild("Update", "body name"), function: "Project Management - Code Scan" },
  "DELETE /openapi/quality/codescan": {
    ...{
      method: "Delete",
      function: "Project Management - Code Scan",
      detail: "query name",
      ...queryKey,
      body: "none",
    },
  },
  "POST /openapi/build": ofBuild("Create", "body name"),
  "PUT /openapi/build": ofBuild("Update", "body name"),
  "PUT /openapi/build/{buildName}/template": ofBuild("Update", "path buildName"),
  "DELETE /openapi/build": { ...ofBuild("Delete", "query name"), ...queryKey, body: "none" },
  "POST /api/aslan/system/email/host": ofMailHost("Add", "json"),
  "PUT /api/aslan/system/email/host": ofMailHost("Update", "json"),
  "DELETE /api/aslan/system/email/host": ofMailHost("Delete", "none"),
  "POST /api/aslan/system/webhook/workflow": {
    ...{ method: "Update", function: "Notification Settings", detail: ["the word system hook"], body: "json" },
  },
  ...records("/api/aslan/system/im-apps", "Notification Settings", "body app_id"),
  "POST /api/aslan/cluster/clusters/{id}/strategy": resource("Add", "Cluster", ["path id", "body name"], "json"),
  "PUT /api/aslan/cluster/clusters/{id}/strategy": resource("Update", "Cluster", ["path id", "body name"], "json"),
  "DELETE /api/aslan/cluster/clusters/{id}/strategy/{strategyId}": resource(
    "Delete",
    "Cluster",
    ["path id", "path strategyId"],
    "none",
  ),
  "POST /openapi/service/yaml/raw": service("Add", "Test Service", "body service_name", "json"),
  "POST /openapi/service/yaml/production/raw": service("Add", "Production Service", "body service_name", "json"),
  "PUT /openapi/service/yaml/{serviceName}": service(
    "Update Test Service Config",
    "Service",
    "path serviceName",
    "json",
  ),
  "PUT /openapi/service/yaml/production/{serviceName}": service(
    "Update Production Service Config",
    "Service",
    "path serviceName",
    "json",
  ),
  "PUT /openapi/service/yaml/{serviceName}/variable": service(
    "Update Test Service Variables",
    "Service",
    "path serviceName",
    "none",
  ),
  "PUT /openapi/service/yaml/production/{serviceName}/variable": service(
    "Update Production Service Variables",
    "Service",
    "path serviceName",
    "none",
  ),
  "DELETE /openapi/service/yaml/{serviceName}": service("Delete", "Test Service", "path serviceName", "none"),
  "DELETE /openapi/service/yaml/production/{serviceName}": service(
    "Delete",
    "Production Service",
    "path serviceName",
    "none",
  ),

  "POST /openapi/environments": environment("Create", "Test Environment", inBody),
  "POST /api/aslan/environment/environments": environment("Create", "Test Environment", inBody),
  "POST /api/aslan/environment/environments/{envName}/sleep": {
    ...environment("Sleep, Wake", "Environment", inPath, "none"),
    methods: { place: "query action", by: { enable: "Sleep", disable: "Wake" } },
  },
  "POST /openapi/environments/production": environment("Create", "Production Environment", inBody),
  "POST /openapi/environments/helm": {
    ...environment("Create", "Test Environment", "body env_name"),
    inProduction: { place: "body production", function: "Production Environment" },
  },
  "POST /openapi/environments/helm/{envName}/services": environment("Update", "Environment", inPath),
  "PUT /openapi/environments/{envName}/defaultValues": environment("Update", "Environment", inPath),
  "DELETE /openapi/environments/{envName}": environment("Delete", "Test Environment", inPath, "none"),
  "DELETE /openapi/environments/production/{envName}": environment("Delete", "Production Environment", inPath, "none"),
  "PUT /openapi/environments/{envName}": environment("Update", "Test Environment", inPath),
  "PUT /openapi/environments/production/{envName}": environment("Update", "Production Environment", inPath),
  "POST /openapi/environments/{envName}/service/{serviceName}/versions/{revision}/rollback": {
    ...environment("Rollback", "Environment - Service", inPath, "none"),
    detail: [inPath, "path serviceName"],
  },
  "POST /openapi/environments/production/{envName}/service/{serviceName}/versions/{revision}/rollback": {
    ...environment("Rollback", "Environment - Service", inPath, "none"),
    detail: [inPath, "path serviceName"],
  },
  "POST /openapi/environments/service/yaml": environment("Update", "Test Environment", inBody),
  "POST /openapi/environments/production/service/yaml": environment("Update", "Production Environment", inBody),
  "PUT /openapi/environments/service/yaml": environment(updateService, "Test Environment", inBody),
  "PUT /openapi/environments/production/service/yaml": environment(updateService, "Production Environment", inBody),
  "PUT /openapi/environments/{envName}/services": environment(updateService, "Test Environment", inPath),
  "PUT /openapi/environments/production/{envName}/services": environment(
    updateService,
    "Production Environment",
    inPath,
  ),
  "DELETE /openapi/environments/service/yaml": {
    ...environment("Delete", "Test Environment Service", inBody, "none"),
    detail: "removed services",
  },
  "DELETE /openapi/environments/production/service/yaml": {
    ...environment("Delete", "Production Environment Service", inBody, "none"),
    detail: "removed services",
  },

  "POST /openapi/environments/{envName}/envcfgs": configuration("Create", "Environment Configuration", inPath),
  "POST /openapi/environments/production/{envName}/envcfgs": configuration(
    "Create",
    "Environment Configuration",
    inPath,
  ),
  "PUT /openapi/environments/envcfgs": configuration("Update", "Environment Configuration", inBody),
  "PUT /openapi/environments/production/envcfgs": configuration(
    "Update",
    "Production Environment Configuration",
    inBody,
  ),
  "DELETE /openapi/environments/{envName}/envcfg/{envCfgName}": {
    ...environment("Delete", "Test Environment Configuration", inPath, "none"),
    detail: [inPath, "query type", "path envCfgName"],
  },
  "DELETE /openapi/environments/production/{envName}/envcfg/{envCfgName}": {
    ...environment("Delete", "Production Environment Configuration", inPath, "none"),
    detail: [inPath, "query type", "path envCfgName"],
  },
  "PUT /openapi/environments/{envName}/variable": environment(
    "Update",
    "Test Environment Management - Update Global Variables",
    inPath,
  ),
  "PUT /openapi/environments/production/{envName}/variable": environment(
    "Update",
    "Production Environment Management - Update Global Variables",
    inPath,
  ),

  "POST /openapi/environments/{envName}/service/{serviceName}/restart": {
    ...environment("Restart", "Environment - Service", inPath, "none"),
    detail: [inPath, "path serviceName"],
  },
  "POST /openapi/environments/{envName}/service/{serviceName}/cancel": {
    ...environment("Cancel", "Environment - Service", inPath, "none"),
    detail: [inPath, "path serviceName"],
  },
  "POST /openapi/environments/production/{envName}/service/{serviceName}/cancel": {
    ...environment("Cancel", "Environment - Service", inPath, "none"),
    detail: [inPath, "path serviceName"],
  },
  "POST /openapi/environments/{envName}/service/{serviceName}/test": {
    ...environment("Test", "Environment - Service", inPath, "none"),
    detail: [inPath, "path serviceName"],
  },
  "POST /openapi/environments/production/{envName}/service/{serviceName}/test": {
    ...environment("Test", "Environment - Service", inPath, "none"),
    detail: [inPath, "path serviceName"],
  },
  "POST /openapi/environments/{envName}/pod/{podName}/restart": {
    ...environment("Restart", "Environment - Service Instance", inPath, "none"),
    detail: [inPath, "path podName"],
  },
  "POST /openapi/environments/production/{envName}/service/{serviceName}/restart": {
    ...environment("Restart", "Environment - Service", inPath, "none"),
    detail: [inPath, "path serviceName"],
  },
  "POST /openapi/environments/production/{envName}/pod/{podName}/restart": {
    ...environment("Restart", "Environment - Service Instance", inPath, "none"),
    detail: [inPath, "path podName"],
  },
  "POST /openapi/environments/{envName}/share/enable": environment(
    "Enable Self-Test Mode",
    "Environment",
    inPath,
    "none",
  ),
  "DELETE /openapi/environments/{envName}/share/enable": environment(
    "Disable Self-Test Mode",
    "Environment",
    inPath,
    "none",
  ),
  "POST /openapi/environments/{envName}/share/portal/{serviceName}": {
    ...environment("Update", "Environment - Portal", inPath),
    detail: [inPath, "path serviceName"],
  },
  "POST /openapi/environments/production/{envName}/share/enable": environment(
    "Enable Self-Test Mode",
    "Environment",
    inPath,
    "none",
  ),
  "DELETE /openapi/environments/production/{envName}/share/enable": environment(
    "Disable Self-Test Mode",
    "Environment",
    inPath,
    "none",
  ),
  "POST /openapi/environments/production/{envName}/share/portal/{serviceName}": {
    ...environment("Update", "Environment - Portal", inPath),
    detail: [inPath, "path serviceName"],
  },
  "POST /openapi/environments/{envName}/sleep": environment("Sleep", "Environment", inPath, "none"),
  "POST /openapi/environments/production/{envName}/sleep": environment("Sleep", "Environment", inPath, "none"),
  "POST /openapi/environments/{envName}/wake": environment("Wake", "Environment", inPath, "none"),
  "POST /openapi/environments/production/{envName}/wake": environment("Wake", "Environment", inPath, "none"),
  "PUT /openapi/environments/{envName}/sleep/schedule": environment("Update", "Environment", inPath),
  "PUT /openapi/environments/production/{envName}/sleep/schedule": environment("Update", "Environment", inPath),
  "POST /openapi/environments/scale": {
    ...environment("Scale", "Environment - Service", inBody),
    detail: [inBody, "body service_name", "body workload_type", "body workload_name"],
    project: "body project_key",
  },
  "POST /openapi/environments/image/deployment/{envName}": imageUpdate("Deployment"),
  "POST /openapi/environments/image/statefulset/{envName}": imageUpdate("StatefulSet"),
  "POST /openapi/environments/image/cronjob/{envName}": imageUpdate("CronJob"),
  "POST /openapi/environments/image/job/{envName}": imageUpdate("Job"),

  "POST /api/aslan/workflow/v4": workflow("Add", "body name", "body project", "yaml"),
  "POST /openapi/workflows/custom": workflow("Add", "body name", "body project", "yaml"),
  "PUT /api/aslan/workflow/v4/{name}": workflow("Update", "path name", "body project", "yaml"),
  "PUT /openapi/workflows/custom/{name}": workflow("Update", "path name", "body project", "yaml"),
  "DELETE /openapi/workflows/custom": workflow("Delete", "query workflowKey", "query projectKey", "none"),
  "DELETE /api/aslan/workflow/v4/{name}": workflow("Delete", "path name", "query projectKey", "none"),
  "POST /openapi/workflows/view": { ...view("Create", "body name", "json"), project: "body project_key" },
  "PUT /openapi/workflows/view/{viewName}": view("Update", "path viewName", "none"),
  "DELETE /openapi/workflows/view/{viewName}": view("Delete", "path viewName", "none"),

  "POST /api/directory/workflowTask/create": legacy("Add", "body workflow_name", "json"),
  "POST /api/directory/workflowTask/id/{id}/pipelines/{pipelineName}/restart": legacy(
    "Restart",
    "path pipelineName",
    "none",
  ),
  "POST /api/directory/workflowTask/id/{id}/pipelines/{pipelineName}/cancel": legacy(
    "Cancel",
    "path pipelineName",
    "none",
  ),
  "POST /api/aslan/workflow/v4/jirahook/{workflowName}": trigger("Create", "json"),
  "PUT /api/aslan/workflow/v4/jirahook/{workflowName}": trigger("Update", "json"),
  "DELETE /api/aslan/workflow/v4/jirahook/{workflowName}/{hookName}": trigger("Delete", "none"),
  "POST /api/aslan/workflow/v4/workflowhook/{workflowName}": trigger("Create", "json"),
  "PUT /api/aslan/workflow/v4/workflowhook/{workflowName}": trigger("Update", "json"),
  "DELETE /api/aslan/workflow/v4/workflowhook/{workflowName}/{hookName}": trigger("Delete", "none"),
  "POST /api/aslan/workflow/v4/generalhook/{workflowName}": trigger("Create", "json"),
  "PUT /api/aslan/workflow/v4/generalhook/{workflowName}": trigger("Update", "json"),
  "DELETE /api/aslan/workflow/v4/generalhook/{workflowName}/{hookName}": trigger("Delete", "none"),
  "POST /api/aslan/workflow/v4/webhook/{workflowName}": trigger("Create", "json"),
  "PUT /api/aslan/workflow/v4/webhook/{workflowName}": trigger("Update", "json"),
  "DELETE /api/aslan/workflow/v4/webhook/{workflowName}/trigger/{name}": trigger("Delete", "none"),
  "POST /api/aslan/workflow/v4/cron/{workflowName}": trigger("Create", "json"),
  "PUT /api/aslan/workflow/v4/cron/{workflowName}": trigger("Update", "json"),
  "DELETE /api/aslan/workflow/v4/cron/{workflowName}/trigger/{name}": trigger("Delete", "none"),
  "POST /api/aslan/workflow/v4/triggerdelivery/{workflowName}/{deliveryId}/replay": trigger("Replay", "none"),
  "POST /api/aslan/workflow/v4/workflowtask": {
    ...{ method: "Create", function: "Workflow Task", detail: "body workflow_key", project: "body project_key" },
    body: "json",
  },
  "POST /openapi/workflows/custom/task": {
    ...{ method: "Create", function: "Workflow Task", detail: "body workflow_key", project: "body project_key" },
    body: "json",
  },
  "DELETE /openapi/workflows/custom/task": ofTask("Cancel", "query workflowKey", "none"),
  "POST /openapi/workflows/custom/{workflowKey}/task/{taskID}": { ...taskInPath("Retry", "json"), kept: "path taskID" },
  "PUT /openapi/workflows/custom/{workflowKey}/task/{taskID}": taskInPath("Update", "json"),
  "POST /openapi/workflows/custom/{workflowKey}/task/{taskID}/manual-exec": taskInPath("Manual Execution", "json"),
  "POST /openapi/workflows/custom/task/rollout": {
    ...ofTask("Pause, Promote, Abort", "body workflow_key", "json"),
    methods: { place: "body action", by: { pause: "Pause", promote: "Promote", abort: "Abort" } },
  },
  "POST /openapi/workflows/custom/task/approve": ofTask("Approve", "body workflow_key", "json"),
  "POST /api/aslan/workflow/v4/workflowtask/approve": ofTask("Approve", "body workflow_name", "json"),
  "POST /api/aslan/workflow/v4/workflowtask/handle/error": ofTask("Error Decision", "body workflow_name", "json"),
  "DELETE /api/aslan/workflow/v4/workflowtask/workflow/{workflowName}/task/{taskId}": {
    ...ofTask("Cancel", "path workflowName", "none"),
  },
  "POST /api/aslan/workflow/v4/workflowtask/retry/workflow/{workflowName}/task/{taskId}": {
    ...{ ...ofTask("Retry", "path workflowName", "json"), kept: "path taskId" },
  },
};
