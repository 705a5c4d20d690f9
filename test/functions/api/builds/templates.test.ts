import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { table } from "../../../../shared/base/store/table.ts";
import { readCredentials } from "../../../../shared/workflows/jobDefinitions/readCredentials.ts";
import { findRunnableBuild, readBuildCredentials } from "../../../../shared/workflows/jobDefinitions/runnableBuild.ts";
import { builds, findBuild } from "../../../../shared/workflows/jobDefinitions/store/builds.ts";
import { findBuildTemplateSecrets } from "../../../../shared/workflows/jobDefinitions/store/buildTemplates.ts";
import { unsealCredentials } from "../../../../shared/workflows/jobDefinitions/unsealCredentials.ts";
import { imageReference } from "../../../../shared/workflows/jobs/container/definitionRun.ts";
import { type DefinitionCalls, idOf, repo, startForDefinitions } from "../../../harness/definitionCalls.ts";
import { sample } from "./sample.ts";

const path = "/api/aslan/template/build";
const { services: _, project_key: __, ...script } = sample;
const template = { ...script, name: "image" };
const target = (service_module: string, more: object = {}) => ({
  ...{ service_name: "web", service_module, repo_info: [repo], inputs: [] },
  ...more,
});
const build = (...target_services: object[]) => {
  return { name: "made", project_key: "shop", template_name: "image", target_services };
};

let calls: DefinitionCalls;
let id: string;

beforeAll(async () => {
  calls = await startForDefinitions();
  // The sample asks for its node's container engine.
  await calls.ok("PUT", "/openapi/system/projects/shop/boundary", { privileged_jobs: true });
  ({ id } = await calls.ok<{ id: string }>("POST", path, template));
});

afterAll(() => calls.slipway.close());

interface Shown {
  repos: { branch: string }[];
  parameters: { key: string; value: string; is_credential: boolean }[];
  [field: string]: unknown;
}

const detail = (more = "") => calls.ok<Shown>("GET", `/openapi/build/made/detail?projectKey=shop${more}`);

describe("a build template", () => {
  test("is shown as it was sent, credentials masked, and can be sent back like that", async () => {
    const shown = await calls.ok<Record<string, unknown>>("GET", `${path}/${id}`);
    const { parameters, repo_info, ...rest } = template;
    expect(shown).toMatchObject({ id, ...rest });
    expect(shown.repo_info).toMatchObject(repo_info);
    expect(shown.parameters).toMatchObject([
      { key: "LEVEL", value: "low" },
      { key: "TOKEN", value: "********" },
    ]);
    await calls.ok("PUT", `${path}/${id}`, shown);
    expect(await calls.ok("GET", `${path}/${id}`)).toEqual(shown);
    const kept = await unsealCredentials(`build-template:${id}`, await findBuildTemplateSecrets(id));
    expect(kept).toEqual(new Map([["TOKEN", "a-secret-value"]]));
  });

  test("has a name of its own, and is listed by it", async () => {
    const { json } = await calls.refused("POST", path, template);
    expect(json.extra.problems?.map((problem) => problem.path)).toEqual(["name"]);
    const made = await calls.ok<{ id: string }>("POST", path, { ...template, name: "a-first" });
    const { build_templates, total } = await calls.ok<{ build_templates: object[]; total: number }>("GET", path);
    expect([build_templates, total]).toEqual([
      [
        { id: made.id, name: "a-first" },
        { id, name: "image" },
      ],
      2,
    ]);
    expect((await calls.refused("PUT", `${path}/${made.id}`, template)).status).toBe(400);
    await calls.ok("PUT", `${path}/${made.id}`, { ...template, name: "b-second" });
    await calls.ok("DELETE", `${path}/${made.id}`);
    await calls.ok("DELETE", `${path}/${made.id}`);
    expect((await calls.refused("GET", `${path}/${made.id}`)).status).toBe(404);
  });

  test("holds what it refers to, and refuses what does not exist", async () => {
    const image = await idOf(calls, "/api/aslan/system/basicImages", "label", "node 24");
    const { json } = await calls.refused("DELETE", `/api/aslan/system/basicImages/${image}`);
    expect(json.description).toContain("is used by build template image");
    const refusal = await calls.refused("POST", path, { ...template, name: "other", build_os: "nothing" });
    expect([refusal.status, refusal.json.description]).toEqual([400, expect.stringContaining("base image nothing")]);
  });
});

describe("a build from a template", () => {
  test("does what the template says, for each service module with its own repositories and values", async () => {
    const second = target("side", {
      repo_info: [{ ...repo, branch: "next" }],
      inputs: [
        { key: "LEVEL", value: "high" },
        { key: "TOKEN", value: "of-the-side" },
        { key: "MORE", value: "1" },
      ],
    });
    await calls.ok("POST", "/openapi/build?source=template", build(target("main"), second));
    const shown = await detail();
    expect(shown).toMatchObject({
      source: "zadig",
      template_name: "image",
      build_script: sample.build_script,
      repos: [],
      target_services: [
        { service_name: "web", service_module: "main" },
        { service_name: "web", service_module: "side" },
      ],
    });
    expect(shown.parameters.map(({ key, value }) => [key, value])).toEqual([
      ["LEVEL", "low"],
      ["TOKEN", "********"],
    ]);
    const side = await detail("&serviceName=web&serviceModule=side");
    expect(side.repos.map(({ branch }) => branch)).toEqual(["next"]);
    expect(side.parameters.map(({ key, value }) => [key, value])).toEqual([
      ["LEVEL", "high"],
      ["TOKEN", "********"],
      ["MORE", "1"],
    ]);
  });

  test("keeps a value for a credential of the template sealed, though nobody said that it is one", async () => {
    const items = await table().query({ pk: builds.key("shop", "made").pk });
    expect(JSON.stringify(items)).not.toContain("of-the-side");
    const stored = await findBuild("shop", "made");
    const made = { definitionId: stored?.definitionId ?? "", projectKey: "shop", name: "made" };
    const values = await readCredentials(builds, made, "web/side");
    expect(values).toEqual(new Map([["TOKEN", "of-the-side"]]));
  });

  test("runs with the template's values, and the target's own in their place", async () => {
    const side = { serviceName: "web", serviceModule: "side" };
    const runnable = await findRunnableBuild("shop", "made", side);
    expect(runnable?.script.repositories.map(({ branch }) => branch)).toEqual(["next"]);
    expect(runnable?.script.keyVals.map(({ key, value }) => [key, value])).toEqual([
      ["LEVEL", "high"],
      ["TOKEN", ""],
      ["MORE", "1"],
    ]);
    expect(await imageReference(runnable?.script.image ?? { imageId: "", label: "" })).toBe("node:24");
    expect(await readBuildCredentials("shop", "made", side)).toEqual(new Map([["TOKEN", "of-the-side"]]));
    const main = { serviceName: "web", serviceModule: "main" };
    expect(await readBuildCredentials("shop", "made", main)).toEqual(new Map([["TOKEN", "a-secret-value"]]));
    expect(await findRunnableBuild("other", "made", main)).toBeUndefined();
  });

  test("is replaced under the name in the path, which the body may repeat and not change", async () => {
    const { name: _name, ...unnamed } = build(target("side", { inputs: [{ key: "TOKEN", value: "********" }] }));
    await calls.ok("PUT", "/openapi/build/made/template", unnamed);
    expect(await detail()).toMatchObject({ target_services: [{ service_module: "side" }] });
    const { json } = await calls.refused("PUT", "/openapi/build/made/template", { ...unnamed, name: "other" });
    expect(json.extra.problems?.map((problem) => problem.path)).toEqual(["name"]);
    await calls.ok("PUT", "/openapi/build?source=template", build(target("main")));
    expect((await calls.refused("PUT", "/openapi/build/absent/template", unnamed)).status).toBe(404);
  });

  test("stays one: it cannot be replaced by a build of its own, nor the other way round", async () => {
    const own = await calls.refused("PUT", "/openapi/build", { ...sample, name: "made" });
    expect([own.json.code, own.json.description]).toEqual([6521, expect.stringContaining("source=template")]);
    await calls.ok("POST", "/openapi/build", sample);
    const other = { ...build(target("main")), name: "web-build" };
    expect((await calls.refused("PUT", "/openapi/build?source=template", other)).json.code).toBe(6521);
  });

  test("needs a template that exists, and at least one service module", async () => {
    const unknown = { ...build(target("main")), name: "new", template_name: "none" };
    const { json } = await calls.refused("POST", "/openapi/build?source=template", unknown);
    expect([json.code, json.description]).toEqual([
      6520,
      expect.stringContaining("build template none does not exist"),
    ]);
    const empty = await calls.refused("POST", "/openapi/build?source=template", { ...build(), name: "new" });
    expect(empty.json.description).toContain("target_service must have at least one item in it");
    const plain = await calls.refused("POST", "/openapi/build?source=template", { ...sample, name: "new" });
    expect(plain.json.extra.problems?.map((problem) => problem.path).sort()).toEqual([
      "target_services",
      "template_name",
    ]);
  });

  test("holds its template, also under a new name", async () => {
    await calls.ok("PUT", `${path}/${id}`, { ...template, name: "renamed" });
    const { status, json } = await calls.refused("DELETE", `${path}/${id}`);
    expect([status, json.description]).toEqual([400, expect.stringContaining("is used by build made of project shop")]);
    await calls.ok("PUT", "/openapi/build/made/template", build(target("main")));
    await calls.ok("DELETE", "/openapi/build?projectKey=shop&name=made");
    await calls.ok("DELETE", `${path}/${id}`);
  });
});
