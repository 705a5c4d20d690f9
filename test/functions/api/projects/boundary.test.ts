import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
  for (const key of ["alpha", "beta"])
    await slipway.call("POST", "/openapi/projects/project", {
      body: { project_name: key, project_key: key, is_public: false, project_type: "yaml" },
    });
});

afterAll(() => slipway.close());

const path = (key: string) => `/openapi/system/projects/${key}/boundary`;
const put = (key: string, body: object) => slipway.call("PUT", path(key), { body });

describe("the boundary of a project", () => {
  test("is the default until one is set, and is replaced as a whole", async () => {
    const none = { namespaces: [], cluster_scoped_kinds: [], pod_security: "baseline", privileged_jobs: false };
    expect((await slipway.call("GET", path("alpha"))).json).toEqual(none);
    const wide = {
      namespaces: ["team-a-*", "shop"],
      cluster_scoped_kinds: ["ClusterRole"],
      pod_security: "restricted",
    };
    expect((await put("alpha", { ...wide, privileged_jobs: true })).json).toEqual({ message: "success" });
    expect((await slipway.call("GET", path("alpha"))).json).toEqual({ ...wide, privileged_jobs: true });
    await put("alpha", { namespaces: ["shop"] });
    expect((await slipway.call("GET", path("alpha"))).json).toEqual({ ...none, namespaces: ["shop"] });
  });

  test.each([
    ["a pattern inside a word", { namespaces: ["te*m"] }, "namespaces[0]"],
    ["a prefix that ends inside a word", { namespaces: ["team*"] }, "namespaces[0]"],
    ["a namespace of the system", { namespaces: ["shop", "kube-system"] }, "namespaces[1]"],
    ["a pattern over namespaces of the system", { namespaces: ["kube-*"] }, "namespaces[0]"],
    ["the namespaces of jobs", { namespaces: ["slipway-*"] }, "namespaces[0]"],
    ["those of a project's jobs", { namespaces: ["slipway-jobs-beta"] }, "namespaces[0]"],
    ["a name twice", { namespaces: ["shop", "shop"] }, "namespaces[1]"],
    ["an unknown kind", { cluster_scoped_kinds: ["Gadget"] }, "cluster_scoped_kinds[0]"],
    ["a kind that the installation does not allow", { cluster_scoped_kinds: ["Namespace"] }, "cluster_scoped_kinds[0]"],
    ["an unknown level", { pod_security: "strict" }, "pod_security"],
    ["a field of another name", { namespace: ["shop"] }, "namespace"],
    ["a text for a boolean", { privileged_jobs: "yes" }, "privileged_jobs"],
  ])("refuses %s and names the field", async (_name, body, field) => {
    const { status, json } = await put("alpha", body);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain(field);
  });

  test("warns of what is wide", async () => {
    const { json } = await put("alpha", { namespaces: ["*"], cluster_scoped_kinds: ["*"] });
    const warnings = json.warnings as unknown as { code: string }[];
    expect(warnings.map(({ code }) => code)).toEqual(["every_namespace", "every_kind"]);
  });

  test("overlaps none of another project, also when both are saved at the same moment", async () => {
    await put("alpha", { namespaces: ["team-*"] });
    const { status, json } = await put("beta", { namespaces: ["team-b-*"] });
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining('overlaps \\"team-*\\"')]);
    await put("alpha", {});
    const both = await Promise.all([put("alpha", { namespaces: ["x-*"] }), put("beta", { namespaces: ["x-y"] })]);
    expect(both.map((answer) => answer.status).sort()).toEqual([200, 400]);
  });

  test("is nobody's of an unknown project, and goes with its project", async () => {
    expect((await put("nobody", {})).status).toBe(404);
    expect((await slipway.call("GET", path("nobody"))).status).toBe(404);
    await put("beta", { namespaces: ["gone-*"] });
    await slipway.call("DELETE", "/openapi/projects/project?projectKey=beta&isDelete=false");
    expect((await put("alpha", { namespaces: ["gone-x"] })).status).toBe(200);
  });
});
