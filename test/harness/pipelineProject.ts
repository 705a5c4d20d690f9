import { expect } from "vitest";
import { localClusterId } from "./boutique.ts";
import type { GitServer } from "./gitServer.ts";
import type { HookReceiver } from "./hookReceiver.ts";
import type { Person } from "./people.ts";
import type { Slipway } from "./slipway.ts";

export const gitPassword = "glpat-tok3n+with/signs";
export const hookToken = "T0KEN-of-the-hook";
/** What `startSlipway` needs beside the cluster. */
export const pipelineSettings = {
  SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8,10.0.0.0/8",
  SLIPWAY_CONSOLE_ADDRESS: "https://slipway.example.com",
};

export interface PipelinePlace {
  slipway: Slipway;
  /** Serves the repository to whatever runs the jobs; asks for `gitPassword`. */
  git: GitServer;
  hooks: HookReceiver;
  /** `http://host:port` of the registry that images are pushed to. */
  registry: string;
  /** Of the environment. */
  namespace: string;
}

/** Somebody who signed in, as task details and messages name them. */
export interface Member extends Person {
  name: string;
}

export interface PipelineProject {
  /** Starts tasks and may do nothing else. */
  ann: Member;
  /** Three who approve, and hold no role. */
  approvers: [Member, Member, Member];
  /** Administrator of the project. */
  lead: Member;
  /** The commit that is at the head of the branch. */
  commit: string;
  registryId: string;
  /** Lets the test job go on, which waits for it. */
  openGate(): void;
}

/** A deployment that serves the page of its image; `busybox:1` has none. */
const template = `apiVersion: apps/v1
kind: Deployment
metadata: { name: $T-Service$ }
spec:
  selector: { matchLabels: { app: $T-Service$ } }
  template:
    metadata: { labels: { app: $T-Service$ } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: main
          image: busybox:1
          command: [sh, -c]
          args:
            - |
              mkdir -p /www
              if [ ! -e /www/index.html ]; then echo "no page yet" > /www/index.html; fi
              echo "{{.greeting}}" > /www/greeting
              exec httpd -f -p 8080 -h /www
          readinessProbe: { httpGet: { path: /, port: 8080 }, periodSeconds: 1 }
`;

/** Four cases, of which one fails. */
const report = `<?xml version="1.0"?>
<testsuites>
  <testsuite name="prices" tests="3" failures="1" time="0.75">
    <testcase name="adds" time="0.25"/>
    <testcase name="rounds" time="0.25"><failure message="expected 1.00" type="AssertionError">got 0.99</failure></testcase>
    <testcase name="formats" time="0.25"/>
  </testsuite>
  <testsuite name="baskets" tests="1" time="0.25"><testcase name="is empty" time="0.25"/></testsuite>
</testsuites>
`;

/** Says a word, waits until it is let go on, and leaves its report. */
const testScript = `cd web
echo "testing $TESTING_NAME of $TESTING_PROJECT, gate $GATE"
until git ls-remote --exit-code "$GATE" open >/dev/null 2>&1; do sleep 0.2; done
echo "the gate is open"
mkdir reports
cp junit.xml reports/
`;

const buildScript = `echo "building $IMAGE of $SERVICE_MODULE with $REPO_0 at $web_BRANCH, $web_COMMIT_ID"
echo "sign in with $DOCKER_REGISTRY_SK"
`;

const approvalText = "Ship it?";

/**
 * A project with all that its pipeline needs, made by those who may make it, through the API alone: people and roles, what
 * belongs to the installation, a service of a template, a test, a build, an environment and the workflow. Pods of the
 * environment may not be ready yet.
 */
export async function makePipelineProject(place: PipelinePlace): Promise<PipelineProject> {
  const { slipway, git } = place;
  const post = async <T>(path: string, body: object, token?: string): Promise<T> => {
    const answer = await slipway.call<T>("POST", path, { body, ...(token !== undefined && { token }) });
    expect(answer.status, `POST ${path}: ${answer.text}`).toBe(200);
    return answer.json;
  };
  const member = async (name: string): Promise<Member> => {
    const sent = { account: name.toLowerCase(), password: `Passw0rd-${name}` };
    await post("/api/v1/users", { ...sent, name, email: `${sent.account}@example.com` });
    return { ...(await post<Person>("/api/v1/login", sent)), name };
  };
  const bind = (role: string, { uid }: Member) =>
    post("/openapi/policy/role-bindings?namespace=shop", { role, identities: [{ identity_type: "user", uid }] });

  await post("/openapi/projects/project", { project_name: "Web Shop", project_key: "shop", project_type: "yaml" });
  const [lead, ann, bob, cem, dora] = [
    await member("Lead"),
    await member("Ann"),
    await member("Bob"),
    await member("Cem"),
    await member("Dora"),
  ];
  await bind("project-admin", lead);
  await post("/openapi/policy/roles?namespace=shop", {
    name: "starter",
    actions: ["get_workflow", "run_workflow", "get_environment", "get_test", "run_test"],
  });
  await bind("starter", ann);

  const web = git.repository("team/web.git");
  const commit = web.commit(
    "main",
    {
      Dockerfile: `FROM ${place.registry.replace("http://", "")}/library/busybox:1\nARG WHO\nCOPY page /www/index.html\nRUN echo "made by $WHO" >> /www/index.html\n`,
      page: "page of the new image\n",
      "junit.xml": report,
    },
    { message: "Sell more" },
  );
  const gate = git.repository("team/gate.git");
  const opened = gate.commit("main", { key: "" });
  const host = { type: "gitlab", address: git.url, auth_type: "token", access_token: gitPassword };
  await post("/api/aslan/system/codehosts", { ...host, alias: "git" });
  await post("/api/aslan/system/basicImages", { label: "toolbox", value: "toolbox:1", image_from: "custom" });
  await post("/api/aslan/template/yaml", {
    ...{ name: "page", content: template },
    service_variable_kvs: [{ key: "greeting", value: "hello", type: "string" }],
  });
  await post("/openapi/system/registry", {
    ...{ address: place.registry, provider: "native", namespace: "shop", is_default: false },
    ...{ access_key: "robot-of-the-shop", secret_key: "registry-pa55word" },
  });
  const registries = await slipway.call<{ registry_id: string; namespace: string }[]>(
    "GET",
    "/openapi/system/registry",
  );
  const registryId = registries.json.find(({ namespace }) => namespace === "shop")?.registry_id ?? "";

  const own = <T = unknown>(path: string, body: object) => post<T>(path, body, lead.token);
  await own("/openapi/service/template/load/yaml", {
    ...{ service_name: "web", project_key: "shop", template_name: "page", auto_sync: true },
    variable_yaml: [{ key: "greeting", value: "welcome" }],
  });
  await own("/openapi/environments?projectKey=shop", {
    ...{ env_key: "dev", namespace: place.namespace, cluster_id: localClusterId, registry_id: registryId },
    services: [{ service_name: "web" }],
  });
  const repo_info = [{ codehost_name: "git", repo_namespace: "team", repo_name: "web", branch: "main" }];
  const gateAddress = git.url.replace("http://", `http://oauth2:${encodeURIComponent(gitPassword)}@`);
  await own("/openapi/quality/testing", {
    ...{ name: "web-unit", project_key: "shop", build_os: "toolbox", script_type: "shell", script: testScript },
    ...{ repo_info, report_dir: "web/reports", pass_rate: 75 },
    parameters: [{ key: "GATE", type: "string", default_value: `${gateAddress}/team/gate.git`, is_credential: true }],
  });
  await own("/openapi/build", {
    ...{ name: "web-image", project_key: "shop", infrastructure: "kubernetes", build_os: "toolbox", repo_info },
    ...{ installs: [], script_type: "shell", build_script: buildScript },
    services: [{ service_name: "web", service_module: "main" }],
    parameters: [{ key: "WHO", type: "string", default_value: "nobody" }],
    docker_build_step: {
      ...{ build_context_dir: "$WORKSPACE/web", dockerfile_source: "local", dockerfile_directory: "web/Dockerfile" },
      build_args: '--build-arg WHO="$WHO"',
    },
  });
  await own("/openapi/workflows/custom", workflow(place, registryId, [bob, cem, dora]));
  return {
    lead,
    ann,
    approvers: [bob, cem, dora],
    commit,
    registryId,
    openGate: () => gate.refer("refs/heads/open", opened),
  };
}

function workflow({ hooks }: PipelinePlace, registryId: string, approvers: readonly Member[]): object {
  const everything = ["created", "passed", "failed", "timeout", "cancelled", "reject", "pause", "wait_for_approval"];
  const hook = (path: string, notify_type: readonly string[]) => ({
    ...{ enabled: true, webhook_type: "webhook", notify_type },
    webhook_notification_config: { address: hooks.url + path, token: hookToken },
  });
  const users = approvers.map(({ uid, name }) => ({ type: "user", user_id: uid, user_name: name }));
  return {
    ...{ name: "ship", display_name: "Ship It", project: "shop", description: "from commit to page" },
    params: [{ name: "REASON", type: "string", value: "", source: "runtime" }],
    stages: [
      {
        name: "check",
        jobs: [
          {
            name: "unit",
            type: "zadig-test",
            spec: { source: "runtime", test_modules: [{ name: "web-unit", project_name: "shop" }] },
          },
        ],
      },
      {
        name: "make",
        jobs: [
          {
            ...{ name: "build", type: "zadig-build", error_policy: { policy: "ignore_error" } },
            spec: {
              ...{ source: "runtime", docker_registry_id: registryId },
              service_and_builds_options: [
                { service_name: "web", service_module: "main", build_name: "web-image", image_name: "web" },
              ],
            },
          },
        ],
      },
      {
        name: "ask",
        jobs: [
          {
            ...{ name: "consent", type: "approval" },
            spec: {
              ...{ type: "native", timeout: 10, description: approvalText },
              native_approval: { approve_users: users, needed_approvers: 2 },
            },
          },
        ],
      },
      {
        name: "ship",
        jobs: [
          {
            ...{ name: "deploy", type: "zadig-deploy" },
            spec: { ...{ env: "dev", source: "fromjob", job_name: "build", deploy_contents: ["image"] } },
            notify_ctls: [hook("/deploy", ["prepare", "passed", "failed"])],
          },
        ],
      },
    ],
    notify_ctls: [
      hook("/task", everything),
      hook("/changed", ["changed"]),
      {
        ...{ enabled: true, webhook_type: "wechat", notify_type: ["passed"] },
        wechat_notification_config: { hook_address: `${hooks.url}/chat`, at_users: [], is_at_all: false },
      },
    ],
  };
}
