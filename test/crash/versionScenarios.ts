import type { Caller } from "../harness/boutique.ts";
import { chartFiles, packedChart } from "../harness/packedChart.ts";
import type { Answer } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";
import { type Scenario, succeed } from "./scenario.ts";
import { flow, taskCalls } from "./taskCalls.ts";
import {
  createChartVersion,
  createVersion,
  listVersions,
  type MadeVersion,
  prepareProject,
  registryOf,
  releases,
  victimsPusher,
} from "./versionCalls.ts";

const names = ["cart", "web"];

async function push(slipway: Caller, image: string): Promise<void> {
  const { host } = await registryOf(slipway);
  await victimsPusher(host).index(`slipway/${image}`, "1", ["amd64", "arm64"]);
}

async function prepareImages(slipway: Caller): Promise<void> {
  await prepareProject(slipway);
  for (const name of names) await push(slipway, name);
}

const create = (slipway: Caller): Promise<Answer> => createVersion(slipway, "1.0", names);

async function onlyVersion(slipway: Caller): Promise<MadeVersion | undefined> {
  const [one] = await listVersions(slipway);
  return one;
}

async function ended(slipway: Caller): Promise<void> {
  await waitFor(
    "the version to be over",
    async () => {
      const version = await onlyVersion(slipway);
      return version === undefined || version.status === "success" || version.status === "failed";
    },
    100,
  );
}

/** Every image stands where the version promises it, by the digest that the version names. */
async function mustStand(slipway: Caller): Promise<void> {
  const version = await onlyVersion(slipway);
  if (version?.status !== "success") throw new Error(`the version is ${version?.status}: ${version?.error}`);
  const { host } = await registryOf(slipway);
  for (const [at, name] of names.entries()) {
    const digest = version.services[at]?.images[0]?.digest ?? "";
    const found = await victimsPusher(host).read(`slipway/released/${name}`, "1.0");
    if (found === undefined || found !== (await victimsPusher(host).read(`slipway/${name}`, digest)))
      throw new Error(`${name} is not where the version promises it`);
  }
}

/** What was begun ends well, whoever went on with it. */
async function ends(slipway: Caller): Promise<void> {
  await ended(slipway);
  if ((await onlyVersion(slipway)) !== undefined) await mustStand(slipway);
}

const created: Scenario = {
  name: "delivery version",
  prepare: prepareImages,
  request: create,
  goOn: ends,
  check: mustStand,
};

const retried: Scenario = {
  name: "retry of a delivery version",
  prepare: async (slipway) => {
    await prepareProject(slipway);
    await push(slipway, "cart");
    await succeed(create(slipway));
    await ended(slipway);
    await push(slipway, "web");
  },
  request: async (slipway) => {
    const version = await onlyVersion(slipway);
    return slipway.call("POST", `${releases}/retry`, { body: { id: version?.id, projectKey: "shop" } });
  },
  goOn: ended,
  check: mustStand,
};

const deleted: Scenario = {
  name: "deletion of a delivery version",
  prepare: async (slipway) => {
    await prepareImages(slipway);
    await succeed(create(slipway));
    await ended(slipway);
  },
  request: async (slipway) => {
    const version = await onlyVersion(slipway);
    return slipway.call("DELETE", `${releases}/${version?.id}?projectKey=shop`);
  },
};

const inJob: Scenario = {
  name: "job that copies images",
  prepare: async (slipway) => {
    await prepareImages(slipway);
    const { id } = await registryOf(slipway);
    const targets = names.map((name) => ({
      ...{ service_name: name, service_module: "main", image_name: name, source_tag: "1" },
      ...{ update_tag: true, target_tag: "1.0" },
    }));
    const spec = { source: "runtime", source_registry_id: id, target_registry_id: id, targets };
    const jobs = [{ name: "copy", type: "zadig-distribute-image", spec }];
    const body = { name: flow, project: "shop", stages: [{ name: "copy", jobs }] };
    await succeed(slipway.call("POST", "/openapi/workflows/custom", { body }));
  },
  request: (slipway) => taskCalls(slipway).start("copy"),
  check: async (slipway) => {
    await taskCalls(slipway).mustHavePassed(flow, 1);
    const { read } = victimsPusher((await registryOf(slipway)).host);
    for (const name of names) {
      const copied = await read(`slipway/${name}`, "1.0");
      if (copied === undefined || copied !== (await read(`slipway/${name}`, "1")))
        throw new Error(`${name} is not where the job was to copy it`);
    }
  },
};

/** The service `web` from a chart, whose image is in the registry that charts are pushed to as well. */
async function prepareCharts(slipway: Caller): Promise<void> {
  const { host } = await registryOf(slipway);
  await victimsPusher(host).image("slipway/web", "1");
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "helm" };
  await succeed(slipway.call("POST", "/openapi/projects/project", { body: project }));
  const templates = "/api/aslan/template/charts";
  await succeed(slipway.call("POST", templates, { body: { name: "web", source: "upload" } }));
  const content = (await packedChart(chartFiles("1.0.0"))).toString("base64");
  await succeed(slipway.call("POST", `${templates}/web/upload`, { body: { content } }));
  const service = { service_name: "web", template_name: "web" };
  await succeed(slipway.call("POST", "/openapi/service/template/load/helm?projectKey=shop", { body: service }));
  const repository = { repo_name: "released", type: "oci", url: `http://${host}/charts` };
  await succeed(slipway.call("POST", "/api/aslan/system/helm", { body: repository }));
}

const ofCharts: Scenario = {
  name: "delivery version of charts",
  prepare: prepareCharts,
  request: (slipway) => createChartVersion(slipway, "1.0.1"),
  goOn: ended,
  check: async (slipway) => {
    const version = await onlyVersion(slipway);
    if (version?.status !== "success") throw new Error(`the version is ${version?.status}: ${version?.error}`);
    const { read } = victimsPusher((await registryOf(slipway)).host);
    for (const repository of ["charts/web", "slipway/released/web"])
      if ((await read(repository, "1.0.1")) === undefined) throw new Error(`${repository} is not there`);
  },
};

export const versionScenarios: readonly Scenario[] = [created, retried, deleted, inJob, ofCharts];
