import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { groups } from "../../../functions/api/groups.ts";
import { machines } from "../../../functions/engine/machines.ts";
import { groupFunction } from "../../../infra/aws/functions/functions.ts";
import type { FunctionDefinition } from "../../../infra/aws/functions/slipwayFunction.ts";
import { workers } from "../../../infra/aws/functions/workers.ts";
import { builtConsole } from "../../../infra/builtConsole.ts";
import { hasDynamoDb } from "../../harness/givenTable.ts";
import { apiGatewayEvent } from "./apiGatewayEvent.ts";
import { type BareProcess, startBareProcess } from "./bareProcess.ts";
import { type Bundled, bundled } from "./bundled.ts";
import { type Cloud, startCloud } from "./cloud.ts";
import { actionsOf, functionsOfStack, statementsOf } from "./roles.ts";

const kilobytes = 1024;
const definitions: FunctionDefinition[] = [...groups.map(groupFunction), ...Object.values(workers)];
const bundles = new Map<string, Bundled>();
/** Some forty bundles: on a machine that does other work they take minutes. */
const bundlingMs = 400_000;
let cloud: Cloud;

beforeAll(async () => {
  cloud = await startCloud();
  for (const { name, entry } of definitions) bundles.set(name, bundled(entry));
}, bundlingMs);

afterAll(async () => {
  for (const bundle of bundles.values()) bundle.remove();
  await cloud.close();
});

function bundleOf(name: string): Bundled {
  const found = bundles.get(name);
  if (found === undefined) throw new Error(`${name} is not bundled`);
  return found;
}

describe("the size of what ships (decisions 4.3)", () => {
  /**
   * Over the measure, in KB. Services and templates carry the YAML parser (58), the template language (37), manifests with
   * their fields (41), and the library of charts: archives (43), how they are fetched (55), images in values (98), integers of 64 bits and charts that are judged as Helm does (14), and the code hosts (8). Workflows
   * and quality start tasks, with the kinds of all jobs, their planners and the words of all messages; workflows have
   * triggers with their filters (35) besides, ask chat services what their forms take (29), and read Jobs that look (24). Statistics read YAML (58),
   * because a rollback shows manifests without values of Secrets. Integrations have the tree of all declarations' paths, and know addresses that are never reached. Identity has
   * sessions, second factors and tokens.
   */
  const heavier: Readonly<Record<string, number>> = {
    identity: 262,
    integrations: 278,
    services: 466,
    statistics: 265,
    templates: 461,
    quality: 406,
    workflows: 641,
  };
  /**
   * With what is above. Who starts tasks speaks to the table, objects, keys, machines, schedules, functions and the event bus;
   * who makes services of charts asks the function that has Helm and ECR for its login (80).
   */
  const shippedHeavier: Readonly<Record<string, number>> = {
    services: 876,
    templates: 871,
    quality: 806,
    workflows: 1041,
  };
  const small = groups.filter(({ reachesCluster }) => !reachesCluster).map(({ name }) => name);
  const large = definitions.map(({ name }) => name).filter((name) => !small.includes(name));

  test.each(small)("%s: own code and libraries at most 250 KB, with the SDK at most 700 KB", (name) => {
    const { ownBytes, shippedBytes } = bundleOf(name);
    expect(ownBytes).toBeLessThanOrEqual((heavier[name] ?? 250) * kilobytes);
    expect(shippedBytes).toBeLessThanOrEqual((shippedHeavier[name] ?? 700) * kilobytes);
  });

  /**
   * The measure is 2.2 MB; the library that loads an operator's KUBECONFIG would be 1.2 of them and is left out. Over 1.2:
   * the kinds of jobs, all of them with what they run, and release plans, which say how each is planned and what it would
   * do. Both check the signatures of images, ask registries and chart repositories, and know rollouts. Environments hide values
   * of Secrets in texts that are no YAML yet. Projects delete environments and releases with what they hold, and the reconciler ends what they left. All of them judge pods by Pod Security Standards (18). The kinds of jobs
   * have the clients of PostgreSQL (84) and MySQL (330), which are loaded when a job runs statements.
   * Each file begins with what lets libraries that are no ES modules ask for modules of Node (0.1).
   */
  const largest: Readonly<Record<string, number>> = {
    environments: 1250,
    job: 2151,
    projects: 1244,
    releaseplans: 1449,
    reconciler: 1237,
    "plan-follower": 1206,
  };
  test.each(large)("%s: reaches a cluster, at most 1.2 MB, and more with the kinds of jobs", (name) => {
    expect(bundleOf(name).shippedBytes).toBeLessThanOrEqual((largest[name] ?? 1200) * kilobytes);
  });
});

/** IAM's name for what a command of an AWS client does; the SDK itself brings the commands that have none. */
const actionsByCommand: Readonly<Record<string, readonly string[]>> = {
  "lib-dynamodb/Get": ["dynamodb:GetItem"],
  "lib-dynamodb/BatchGet": ["dynamodb:BatchGetItem"],
  "lib-dynamodb/Query": ["dynamodb:Query"],
  "lib-dynamodb/Update": ["dynamodb:UpdateItem"],
  "lib-dynamodb/TransactWrite": [
    "dynamodb:ConditionCheckItem",
    "dynamodb:DeleteItem",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
  ],
  "client-s3/DeleteObjects": ["s3:DeleteObject"],
  "client-apigatewaymanagementapi/PostToConnection": ["execute-api:ManageConnections"],
  "client-apigatewaymanagementapi/DeleteConnection": ["execute-api:ManageConnections"],
  "client-s3/GetObject": ["s3:GetObject"],
  "client-s3/ListObjectsV2": ["s3:ListBucket"],
  "client-s3/PutObject": ["s3:PutObject"],
  "client-kms/GenerateDataKey": ["kms:GenerateDataKey"],
  "client-kms/Decrypt": ["kms:Decrypt"],
  "client-sfn/StartExecution": ["states:StartExecution"],
  "client-sfn/DescribeExecution": ["states:DescribeExecution"],
  "client-sfn/ListExecutions": ["states:ListExecutions"],
  "client-sfn/StopExecution": ["states:StopExecution"],
  "client-sfn/SendTaskSuccess": ["states:SendTaskSuccess"],
  "client-lambda/Invoke": ["lambda:InvokeFunction"],
  "client-eventbridge/PutEvents": ["events:PutEvents"],
  "client-scheduler/GetSchedule": ["scheduler:GetSchedule"],
  // The role that the schedule runs under is handed over with every update.
  "client-scheduler/UpdateSchedule": ["iam:PassRole", "scheduler:UpdateSchedule"],
  "client-scheduler/CreateSchedule": ["iam:PassRole", "scheduler:CreateSchedule"],
  "client-scheduler/DeleteSchedule": ["scheduler:DeleteSchedule"],
  "client-secrets-manager/GetSecretValue": ["secretsmanager:GetSecretValue"],
  "client-sts/AssumeRole": ["sts:AssumeRole"],
  // Whoever is given the token pulls with the rights of the role that asked for it.
  "client-ecr/BatchCheckLayerAvailability": ["ecr:BatchCheckLayerAvailability"],
  "client-ecr/CreateRepository": ["ecr:CreateRepository"],
  "client-ecr/GetAuthorizationToken": [
    "ecr:BatchCheckLayerAvailability",
    "ecr:BatchGetImage",
    "ecr:GetAuthorizationToken",
    "ecr:GetDownloadUrlForLayer",
    "ecr:ListImages",
  ],
  // Asked for with the credentials of the cluster's own role.
  "client-eks/DescribeCluster": [],
  "client-s3/CreateSession": [],
  "lib-dynamodb/Scan": [],
};

/**
 * Code that these never run: they change nothing, no client's secret is named; a preview
 * asks for charts and creates no repository; a recount reads texts; a chart repository is asked with keys or the own role, and no other one.
 */
const neverRun: Readonly<Record<string, RegExp>> = {
  operations: /^client-scheduler\//,
  events: /^client-scheduler\//,
  logs: /^client-scheduler\//,
  statistics: /^client-scheduler\//,
  "statistics-recount": /^client-s3\/PutObject/,
  meta: /^client-scheduler\//,
  sso: /^client-secrets-manager\//,
  releaseplans: /^client-ecr\/CreateRepository/,
  services: /^client-sts\//,
  templates: /^client-sts\//,
  // It asks what images are and copies none.
  reconciler: /^client-ecr\/CreateRepository/,
};

const pushing = ["ecr:CompleteLayerUpload", "ecr:InitiateLayerUpload", "ecr:PutImage", "ecr:UploadLayerPart"];
/** What no AWS client calls here: pods of jobs, and copies of images, push with the registry's token. */
const doneByToken: Readonly<Record<string, readonly string[]>> = { job: pushing, "delivery-version": pushing };

describe("what ships and what is allowed belong together", () => {
  test.each(functionsOfStack())("$name knows every state machine that its code starts or asks for", (deployed) => {
    const { directory } = bundleOf(deployed.name);
    const code = readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".mjs"))
      .map((file) => readFileSync(join(directory, file), "utf8"))
      .join("\n");
    const used = Object.values(machines)
      .map(({ setting }) => setting)
      .filter((setting) => code.includes(`.${setting}`));
    expect(used.filter((setting) => !deployed.settings.includes(setting))).toEqual([]);
  });

  test.each(functionsOfStack())("$name may do what its bundle has code for, and nothing else", ({ name, roleId }) => {
    const commands = bundleOf(name)
      .commands.filter((command) => !command.startsWith("client-dynamodb/"))
      .filter((command) => neverRun[name]?.test(command) !== true);
    expect(commands.filter((command) => actionsByCommand[command] === undefined)).toEqual([]);
    const called = commands.flatMap((command) => actionsByCommand[command] ?? []);
    const needed = new Set([...called, ...(doneByToken[name] ?? [])]);
    const allowed = new Set(
      statementsOf(roleId)
        .flatMap(actionsOf)
        // Lambda itself writes the logs and keeps failed events.
        .filter((action) => !/^(logs|sqs):/.test(action)),
    );
    expect([...allowed].sort()).toEqual([...needed].sort());
  });
});

test.each(definitions)("$name may wake who tells changes if it has code for that", ({ name, rights }) => {
  expect(rights.includes("startTeller")).toBe(bundleOf(name).hasCodeOf("shared/access/events/store/listeners.ts"));
});

test.each(definitions)("$name may ask the function of Helm if it has code for that", ({ name, rights }) => {
  expect(rights.includes("askHelm")).toBe(bundleOf(name).hasCodeOf("shared/packaging/helm/askHelm.ts"));
});

/** One read and, where the group has one, one change; in this order, because later ones need what earlier ones made. */
const calls: Readonly<
  Record<
    string,
    { read: string; status?: number; change?: [method: string, address: string, body: unknown, status: number] }
  >
> = {
  identity: {
    read: "/api/aslan/system/initialization/status",
    change: ["POST", "/api/v1/users", { name: "Ada", account: "ada", password: "Passw0rd-1" }, 200],
  },
  policy: {
    read: "/openapi/policy/roles?namespace=*",
    change: ["POST", "/openapi/policy/roles?namespace=*", { name: "auditor", actions: ["get_log_operation"] }, 200],
  },
  collaborations: {
    // The group reads nothing, and says so.
    read: "/openapi/collaborations",
    status: 405,
    change: ["POST", "/openapi/collaborations", { project_key: "nowhere", name: "pairs" }, 404],
  },
  sso: { read: "/api/v1/login-enabled" },
  statistics: { read: "/openapi/statistics/overview" },
  operations: { read: "/openapi/system/operation?searchType=all&perPage=1&page=1" },
  clusters: {
    read: "/openapi/system/cluster",
    change: ["PUT", `/openapi/system/cluster/${"f".repeat(24)}`, { description: "none" }, 404],
  },
  registries: {
    read: "/openapi/system/registry",
    change: [
      "POST",
      "/openapi/system/registry",
      {
        address: "https://harbor.example.com",
        provider: "harbor",
        namespace: "shop",
        access_key: "a",
        secret_key: "s",
      },
      200,
    ],
  },
  projects: {
    read: "/openapi/projects/project",
    change: [
      "POST",
      "/openapi/projects/project",
      { project_key: "demo", project_name: "Demo", project_type: "yaml" },
      200,
    ],
  },
  services: {
    read: "/openapi/service/yaml/services?projectKey=demo",
    change: [
      "POST",
      "/openapi/service/yaml/raw?projectKey=demo",
      { service_name: "config", yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\n" },
      200,
    ],
  },
  environments: {
    read: "/openapi/environments?projectKey=demo",
    change: ["DELETE", "/openapi/environments/nowhere?projectKey=demo", undefined, 404],
  },
  templates: {
    read: "/api/aslan/template/yaml",
    change: [
      "POST",
      "/api/aslan/template/yaml",
      { name: "config", content: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: $T-Service$\n" },
      200,
    ],
  },
  labels: {
    read: "/api/aslan/system/labels",
    change: ["POST", "/api/aslan/system/labels", { key: "team", description: "who looks after it" }, 200],
  },
  quality: {
    read: "/openapi/quality/testing?projectKey=nowhere",
    status: 404,
    change: ["POST", "/openapi/quality/testing", { name: "unit", project_key: "nowhere" }, 400],
  },
  artifacts: {
    read: "/api/aslan/delivery/artifacts",
    change: ["POST", `/api/aslan/delivery/artifacts/${"0".repeat(24)}/activities`, { type: "publish" }, 404],
  },
  builds: {
    read: "/api/aslan/template/build",
    change: ["POST", "/openapi/build", { name: "web", project_key: "nowhere" }, 400],
  },
  integrations: {
    read: "/api/aslan/system/codehosts",
    change: [
      "POST",
      "/api/aslan/system/codehosts",
      {
        type: "gitea",
        address: "https://git.example.com",
        alias: "git",
        auth_type: "token",
        access_token: "a-token",
      },
      200,
    ],
  },
  workflows: {
    read: "/openapi/workflows?projectKey=demo",
    change: ["POST", "/openapi/workflows/custom", { name: "release", project: "demo" }, 200],
  },
  delivery: {
    read: "/openapi/delivery/releases?projectKey=nowhere",
    change: [
      "POST",
      "/openapi/delivery/releases/k8s",
      {
        ...{ project_key: "nowhere", version_name: "1", source: "manual" },
        services: [{ service_name: "web", images: [] }],
      },
      404,
    ],
  },
  // A stream of its own, in streams.test.ts; what is refused before it begins is answered like everything else.
  logs: { read: "/openapi/logs/sse/pods/web/containers/main?projectKey=demo&envName=dev", status: 404 },
  events: { read: "/openapi/events/stream?once=maybe", status: 400 },
  meta: { read: "/openapi.json" },
  releaseplans: {
    read: "/openapi/release_plan/v1/freezes",
    change: [
      "POST",
      "/openapi/release_plan/v1/freezes",
      { name: "Night", reason: "quiet", cron: "0 22 * * *", time_zone: "UTC", duration_minutes: 60 },
      200,
    ],
  },
};

interface Answer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

describe.skipIf(!hasDynamoDb)("what ships, alone in a Node process", () => {
  test("every group has its calls here", () => {
    expect(Object.keys(calls).sort()).toEqual(groups.map(({ name }) => name).sort());
  });

  describe.each(Object.entries(calls))("%s", (name, { read, status: readStatus = 200, change }) => {
    let lambda: BareProcess;

    beforeAll(async () => {
      lambda = await startBareProcess(bundleOf(name).directory, cloud.environment);
    });

    afterAll(() => lambda.stop());

    const call = (method: string, address: string, options: { token?: string; body?: unknown } = {}) =>
      lambda.invoke(apiGatewayEvent(method, address, options)) as Promise<Answer>;

    test("answers a read", async () => {
      const answer = await call("GET", read, { token: cloud.adminToken });
      expect([answer.statusCode, answer.body]).toEqual([readStatus, expect.stringMatching(/^[[{]/)]);
      expect(answer.headers["x-request-id"]).toBeTruthy();
    });

    test("answers 404 for a path that nobody declares", async () => {
      const answer = await call("GET", "/nowhere/at/all", { token: cloud.adminToken });
      expect(JSON.parse(answer.body)).toMatchObject({ type: "error", code: 404 });
      expect(answer.statusCode).toBe(404);
    });

    test.runIf(change !== undefined)("refuses a change without a token and makes it with one", async () => {
      const [method, address, body, status] = change ?? ["", "", undefined, 0];
      const refused = await call(method, address, { body });
      expect([refused.statusCode, JSON.parse(refused.body).code]).toEqual([401, 401]);
      const answer = await call(method, address, { body, token: cloud.adminToken });
      expect([answer.statusCode, answer.body]).toEqual([status, expect.stringMatching(/^{/)]);
    });
  });

  test("meta has the console beside it", async () => {
    const lambda = await startBareProcess(bundleOf("meta").directory, cloud.environment);
    const get = (address: string) => lambda.invoke(apiGatewayEvent("GET", address)) as Promise<Answer>;
    try {
      const page = await get("/console/account");
      expect([page.statusCode, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      const [, script] = /src="\.(\/assets\/[^"]+)"/.exec(page.body) ?? [];
      const file = await get(`/console${script}`);
      expect([file.statusCode, file.body]).toEqual([200, readFileSync(join(builtConsole(), script ?? ""), "utf8")]);
    } finally {
      await lambda.stop();
    }
  });

  describe("workers", () => {
    const nobody = "0123456789abcdef01234567";
    const invoke = async (name: string, event: unknown): Promise<unknown> => {
      const lambda = await startBareProcess(bundleOf(name).directory, cloud.environment);
      try {
        return await lambda.invoke(event);
      } finally {
        await lambda.stop();
      }
    };

    test("environment-change refuses a change that is not the current one", async () => {
      await expect(invoke("environment-change", { task: "prepare", changeId: nobody })).rejects.toThrow(
        "ChangeSuperseded",
      );
    });

    test("cluster-watcher ends when nobody waits", async () => {
      await expect(invoke("cluster-watcher", { clusterId: nobody })).resolves.not.toThrow();
    });

    test("reconciler finds nothing open", async () => {
      await expect(invoke("reconciler", {})).resolves.toEqual({ open: 0 });
    });

    test("registry-refresh ends for a registry that is gone", async () => {
      await expect(invoke("registry-refresh", { registryId: nobody })).resolves.not.toThrow();
    });

    test("notifier leaves alone what is not there", async () => {
      const place = { projectKey: "demo", workflowKey: "ship", taskId: 1, taskRecordId: nobody, deliveryId: nobody };
      await expect(invoke("notifier", { deliveries: [place] })).resolves.toEqual({ sent: 0, failed: 0 });
    });

    test("trigger-starter leaves alone what is not there", async () => {
      const delivery = { workflowId: nobody, deliveryId: nobody, kind: "cron", trigger: "nightly" };
      await expect(invoke("trigger-starter", delivery)).resolves.not.toThrow();
      await expect(invoke("trigger-starter", { workflowKey: "gone", sync: "nightly" })).resolves.not.toThrow();
    });

    test("sleep-schedule drops what is timed for an environment that is gone", async () => {
      const place = { projectKey: "demo", envKey: "gone", environmentId: nobody };
      const timed = { ...place, event: "sleep", revision: 1, time: "2026-01-01T00:00:00Z" };
      await expect(invoke("sleep-schedule", timed)).resolves.not.toThrow();
    });
  });
});
