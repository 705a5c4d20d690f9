import { readFileSync } from "node:fs";
import { type Caller, localClusterId, untilStatus } from "../harness/boutique.ts";
import { helmCommand } from "../harness/chartProject.ts";
import { chartFiles, packedChart } from "../harness/packedChart.ts";
import type { Answer } from "../harness/slipway.ts";
import { kindDefinition } from "../harness/stackChart.ts";
import { type Preparing, type Scenario, succeed } from "./scenario.ts";
import { flow, taskCalls } from "./taskCalls.ts";

/** Beside what every test has of it: work that is done with each new revision, and must not be done twice. */
const migration = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-migration
  annotations: {helm.sh/hook: "pre-install,pre-upgrade"}
data: {color: {{ .Values.color | default "grey" | quote }}}
`;

/** Of a kind that the chart brings. */
const widget = "apiVersion: crash.slipway.test/v1\nkind: Widget\nmetadata: {name: {{ .Release.Name }}}\n";

/** Runs when it is asked for. */
const trial = `apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-trial
  annotations: {helm.sh/hook: test}
spec:
  restartPolicy: Never
  containers: [{name: main, image: "busybox:1", command: ["true"]}]
`;

const files = {
  ...{ ...chartFiles("1.0.0"), "templates/migration.yaml": migration },
  "templates/tests/trial.yaml": trial,
  ...{ "crds/widgets.yaml": kindDefinition("crash.slipway.test", "Widget"), "templates/widget.yaml": widget },
};

async function prepareTemplate(slipway: Caller): Promise<void> {
  const templates = "/api/aslan/template/charts";
  await succeed(slipway.call("POST", templates, { body: { name: "web", source: "upload" } }));
  const content = (await packedChart(files)).toString("base64");
  await succeed(slipway.call("POST", `${templates}/web/upload`, { body: { content } }));
}

async function prepareChart(slipway: Caller): Promise<void> {
  await prepareTemplate(slipway);
  const project = { project_name: "charts", project_key: "charts", is_public: false, project_type: "helm" };
  await succeed(slipway.call("POST", "/openapi/projects/project", { body: project }));
  const service = { service_name: "web", template_name: "web" };
  await succeed(slipway.call("POST", "/openapi/service/template/load/helm?projectKey=charts", { body: service }));
  const environment = {
    ...{ env_name: "dev", cluster_id: localClusterId, namespace: "charts-dev" },
    registry_id: "0123456789abcdef12345679",
  };
  await succeed(slipway.call("POST", "/openapi/environments/helm?projectKey=charts", { body: environment }));
  await untilStatus(slipway, "charts", "dev", "succeeded");
}

const deploy = (slipway: Caller, values_yaml: string): Promise<Answer> => deployWith(slipway, { values_yaml });

function deployWith(slipway: Caller, how: object): Promise<Answer> {
  const body = { services: [{ service_name: "web", ...how }] };
  return slipway.call("POST", "/openapi/environments/helm/dev/services?projectKey=charts", { body });
}

async function prepareRelease(slipway: Caller): Promise<void> {
  await prepareChart(slipway);
  await succeed(deploy(slipway, "color: green"));
  await untilStatus(slipway, "charts", "dev", "running");
}

/** A workflow that deploys other values. */
async function prepareWorkflow(slipway: Caller): Promise<void> {
  await prepareRelease(slipway);
  const services = [{ service_name: "web", variable_yaml: "color: blue" }];
  const spec = { env: "dev", deploy_contents: ["vars"], services };
  const stages = [{ name: "ship", jobs: [{ name: "ship", type: "zadig-deploy", spec }] }];
  const body = { name: flow, project: "charts", stages };
  await succeed(slipway.call("POST", "/openapi/workflows/custom", { body }));
}

/** A release that the helm command made, of the chart of the service. */
async function prepareForeignRelease(slipway: Preparing): Promise<void> {
  await prepareChart(slipway);
  const command = helmCommand(readFileSync(slipway.kubeconfigPath, "utf8"));
  try {
    const folder = command.folderOf(files);
    await command.run("charts-dev", "install", "web", folder, "--set", "color=green");
  } finally {
    command.close();
  }
}

/** Two versions of it. */
async function prepareVersions(slipway: Caller): Promise<void> {
  await prepareRelease(slipway);
  await succeed(deploy(slipway, "color: blue"));
  await untilStatus(slipway, "charts", "dev", "running");
}

/** A project, its service and its environment in one call, which goes on when it is sent again. */
function initialize(slipway: Caller): Promise<Answer> {
  const body = {
    ...{ project_name: "charts", project_key: "charts", is_public: false },
    service_list: [{ source: "template", service_name: "web", template_name: "web" }],
    env_list: [{ env_key: "dev", cluster_name: "local", namespace: "charts-dev" }],
  };
  return slipway.call("POST", "/openapi/projects/project/init/helm", { body });
}

/** What is done to releases: Helm's own record is a part of what stands in the end. */
export const chartScenarios: readonly Scenario[] = [
  { name: "installation of a chart", prepare: prepareChart, request: (slipway) => deploy(slipway, "color: green") },
  {
    name: "project of charts in one call",
    prepare: prepareTemplate,
    request: initialize,
    goOn: async (slipway) => {
      const { status, text } = await initialize(slipway);
      // Done before.
      if (status !== 200 && !text.includes("exist")) throw new Error(text);
    },
  },
  {
    name: "adoption of a release",
    prepare: prepareForeignRelease,
    request: (slipway) => deployWith(slipway, { deploy_strategy: "import" }),
  },
  { name: "upgrade of a chart", prepare: prepareRelease, request: (slipway) => deploy(slipway, "color: blue") },
  {
    name: "image of a chart",
    prepare: prepareRelease,
    request: (slipway) => {
      const image = "registry.example.com/team/web:v2";
      const body = { product_name: "charts", service_name: "web", name: "web", container_name: "main", image };
      return slipway.call("POST", "/openapi/environments/image/deployment/dev?projectKey=charts", { body });
    },
  },
  {
    name: "rollback of a chart",
    prepare: prepareVersions,
    request: (slipway) => {
      return slipway.call("POST", "/openapi/environments/dev/service/web/versions/1/rollback?projectKey=charts");
    },
  },
  {
    name: "deployment of a chart by a job",
    prepare: prepareWorkflow,
    request: (slipway) => taskCalls(slipway, "charts").start("ship"),
    check: (slipway) => taskCalls(slipway, "charts").mustHavePassed(flow, 1),
  },
  {
    name: "tests of a chart",
    prepare: prepareRelease,
    request: (slipway) => slipway.call("POST", "/openapi/environments/dev/service/web/test?projectKey=charts"),
    check: async (slipway) => {
      const { text } = await slipway.call("GET", "/openapi/environments/dev?projectKey=charts");
      if (!text.includes('"status":"passed","version":1')) throw new Error(text);
    },
  },
  {
    name: "removal of a chart",
    prepare: prepareRelease,
    request: (slipway) => {
      const body = { env_key: "dev", service_names: ["web"] };
      return slipway.call("DELETE", "/openapi/environments/service/yaml?projectKey=charts", { body });
    },
  },
];
