import { afterAll, beforeAll, expect, test } from "vitest";
import {
  endOf,
  releases,
  startForVersions,
  type VersionSetting,
  versionBody,
} from "../../../harness/deliveryVersions.ts";
import { newPerson } from "../../../harness/people.ts";
import { pusher } from "../../../harness/testRegistry.ts";

const path = "/api/aslan/delivery/releases";

interface Release {
  id: string;
  version_name: string;
  services: { yaml_content: string }[];
  versionInfo: { id: string; version: string; productName: string; productEnvInfo: object | null; progress: object };
  deployInfo: { id: string; serviceName: string; image: string; yamlContents: string[]; end_time: number }[];
}

let setting: VersionSetting;

const list = (query: string, token?: string) =>
  setting.slipway.call<Release[]>("GET", `${path}${query}`, token === undefined ? {} : { token });
const names = async (query: string) => (await list(query)).json.map(({ versionInfo }) => versionInfo.version);

beforeAll(async () => {
  setting = await startForVersions();
  const { calls, slipway, source, targetId, image } = setting;
  for (const name of ["cart", "web"]) await pusher(source.address).image(`dev/${name}`, "1");
  for (const [project, name, ...images] of [
    ["shop", "1.0", "cart"],
    ["other", "1.1", "web"],
    ["shop", "1.2", "cart", "web"],
  ] as const) {
    const services = images.map((one) => ({ service_name: one, yaml_content: `# ${one}`, images: [image(one)] }));
    const body = { ...versionBody(name, targetId, []), project_key: project, services };
    await calls.ok("POST", `${releases}/k8s`, body);
    await endOf(slipway, name, project);
  }
}, 60_000);

afterAll(() => setting.close());

test("versions are listed in the form of older releases, with the keys of newer ones beside them", async () => {
  const { json, headers } = await list("?projectName=shop");
  expect(headers.get("x-total")).toBe("2");
  const [newest] = json;
  expect(newest).toMatchObject({
    ...{ version_name: "1.2", buildInfo: [], testInfo: [], distributeInfo: [], securityStatsInfo: [] },
    versionInfo: {
      ...{ id: newest?.id, version: "1.2", productName: "shop", workflowName: "", taskId: 0, productEnvInfo: null },
      ...{ createdBy: "admin", deleted_at: 0, status: "success" },
      progress: { successCount: 2, totalCount: 2, workflowStatus: "success", error: "" },
    },
    deployInfo: [
      { releaseId: newest?.id, serviceName: "cart/cart", containerName: "cart", yamlContents: ["# cart"], envs: [] },
      { serviceName: "web/web", image: `${setting.target.address}/rel/web:1`, orderedServices: [["cart", "web"]] },
    ],
  });
  const ids = newest?.deployInfo.map(({ id }) => id) ?? [];
  expect(new Set(ids).size).toBe(2);
  expect(ids.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true);
  expect(newest?.deployInfo[0]?.end_time).toBeGreaterThan(1_700_000_000);
  // Another path that older programs ask.
  const forwarded = await setting.slipway.call<Release[]>("GET", "/api/directory/dc/releases?projectName=shop");
  expect(forwarded.json).toEqual(json);
});

test("a brief answer has no manifests", async () => {
  const [newest] = (await list("?projectName=shop&verbosity=brief&per_page=1")).json;
  expect(newest?.deployInfo.map(({ yamlContents }) => yamlContents)).toEqual([[], []]);
  expect(newest?.services.map(({ yaml_content }) => yaml_content)).toEqual(["", ""]);
});

test("projects, services and pages narrow it; no version is of a workflow", async () => {
  expect(await names("")).toEqual(["1.2", "1.1", "1.0"]);
  expect(await names("?serviceName=web")).toEqual(["1.2", "1.1"]);
  expect(await names("?projectName=shop&serviceName=web")).toEqual(["1.2"]);
  expect(await names("?projectName=shop&page=2&per_page=1")).toEqual(["1.0"]);
  expect(await names("?page=2&perPage=2")).toEqual(["1.0"]);
  expect(await names("?workflowName=any")).toEqual([]);
  expect(await names("?projectName=shop&workflowName=&taskId=&serviceName=")).toEqual(["1.2", "1.0"]);
  expect((await list("?taskId=7")).headers.get("x-total")).toBe("0");
  const { status, json } = await list("?taskId=one");
  expect({ status, json }).toMatchObject({ status: 400, json: { code: 400, message: "Bad Request" } });
});

test("get_delivery opens the list of a project, release_get that of all", async () => {
  const reader = await newPerson("reader", [{ namespace: "shop", roles: { sees: ["get_delivery"] } }]);
  const manager = await newPerson("manager", [{ namespace: "*", roles: { releases: ["release_get"] } }]);
  expect((await list("", manager.token)).json).toHaveLength(3);
  expect((await list("?projectName=shop", reader.token)).json).toHaveLength(2);
  for (const query of ["", "?projectName=other"]) {
    const { status, json } = await list(query, reader.token);
    expect({ status, json }).toMatchObject({ status: 403, json: { code: 403 } });
  }
});

test("a version that was deleted is gone from it", async () => {
  const [newest] = (await list("?projectName=other")).json;
  await setting.calls.ok("DELETE", `${releases}/${newest?.id}?projectKey=other`);
  expect(await names("")).toEqual(["1.2", "1.0"]);
});
