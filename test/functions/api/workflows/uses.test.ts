import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { table } from "../../../../shared/base/store/table.ts";
import { localClusterId } from "../../../harness/boutique.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { expectError } from "../../../security/expectError.ts";
import { buildBody, expectSuccess, type Tree, workflowCalls } from "./workflowCalls.ts";

let slipway: Slipway;
const calls = workflowCalls(() => slipway);

beforeAll(async () => {
  slipway = await startSlipway();
  await calls.project("demo");
});

afterAll(() => slipway.close());

const hosts = "/api/aslan/system/codehosts";
const addHost = async (alias: string): Promise<number> => {
  const body = { type: "gitea", address: "https://git.example.com", alias, auth_type: "token", access_token: "t" };
  return (await slipway.call<{ id: number }>("POST", hosts, { body })).json.id;
};
const removeHost = (id: number) => slipway.call("DELETE", `${hosts}/${id}`);
const using = (name: string, type: string, spec: Tree, params: Tree[] = []): Tree => ({
  ...{ name, project: "demo", params },
  stages: [{ name: "s", jobs: [{ name: "j", type, spec }] }],
});

describe("what a workflow refers to", () => {
  test("cannot be deleted until the workflow lets it go", async () => {
    const id = await addHost("kept");
    // Modules that a build is for do not hold it.
    const services = [{ service_name: "web", service_module: "main" }];
    expectSuccess(await slipway.call("POST", "/openapi/build", { body: buildBody("used", services) }));
    const removeBuild = () => slipway.call("DELETE", "/openapi/build?projectKey=demo&name=used");
    const spec = { service_and_builds: [{ service_name: "web", service_module: "main", build_name: "used" }] };
    const params = [{ name: "source", type: "repo", repo: { codehost_id: id, repo_name: "shop" } }];
    expectSuccess(await calls.create(using("holding", "zadig-build", spec, params)));
    for (const answer of [await removeHost(id), await removeBuild()])
      expect(expectError(answer, 400, "in use").description).toContain("workflow holding of project demo");
    expectSuccess(await calls.update("holding", using("holding", "zadig-build", spec)));
    expectSuccess(await removeHost(id));
    expect((await removeBuild()).status).toBe(400);
    expectSuccess(await calls.remove("holding"));
    expectSuccess(await removeBuild());
  });

  test("counts wherever it stands in a job of whatever type, but not among what may be chosen", async () => {
    const [deep, optional] = [await addHost("deep"), await addHost("optional")];
    const spec = { vendor: [{ repos: [{ codehost_id: deep }] }], repo_options: [{ codehost_id: optional }] };
    await calls.create(using("deep", "vendor-check", spec));
    expect((await removeHost(deep)).status).toBe(400);
    expectSuccess(await removeHost(optional));
  });

  test("a registry is held too", async () => {
    const body = {
      address: "https://r.example.com",
      provider: "native",
      namespace: "held",
      access_key: "a",
      secret_key: "s",
    };
    await slipway.call("POST", "/openapi/system/registry", { body });
    const list = await slipway.call<{ registry_id: string; namespace: string }[]>("GET", "/openapi/system/registry");
    const id = list.json.find(({ namespace }) => namespace === "held")?.registry_id ?? "";
    const remove = () => slipway.call("DELETE", `/api/aslan/system/registry/namespaces/${id}`);
    await calls.create(using("pushing", "zadig-build", { docker_registry_id: id }));
    expect(expectError(await remove(), 400, "held").description).toContain("workflow pushing");
    await calls.remove("pushing");
    expectSuccess(await remove());
  });

  test("may be of another installation: it is stored and holds nothing", async () => {
    const spec = { docker_registry_id: "e".repeat(24), cluster_id: "d".repeat(24), repos: [{ codehost_id: 4711 }] };
    expectSuccess(
      await calls.create(using("foreign", "freestyle", { ...spec, advanced_settings: { cluster_id: localClusterId } })),
    );
    expect((await calls.named("foreign")).json.stages).toMatchObject([{ jobs: [{ spec }] }]);
  });

  test("may be more than one transaction holds", async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, (_, at) => addHost(`many-${at}`)));
    const repos = ids.map((codehost_id) => ({ codehost_id }));
    expectSuccess(await calls.create(using("many", "freestyle", { repos })));
    expect((await removeHost(ids[59] ?? 0)).status).toBe(400);
    const taken = { ...using("many-more", "freestyle", { repos }), display_name: "many" };
    expect((await calls.create(taken)).json).toMatchObject({ code: 6540 });
    expectSuccess(await calls.update("many", using("many", "freestyle", { repos: repos.slice(0, 1) })));
    expectSuccess(await removeHost(ids[59] ?? 0));
    expectSuccess(await calls.remove("many"));
    expectSuccess(await removeHost(ids[0] ?? 0));
    const left = await table().query({ pk: "workflow#many" });
    expect(left).toEqual([]);
  });
});
