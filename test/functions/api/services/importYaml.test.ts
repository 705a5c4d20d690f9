import { execFileSync } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitServer, hasGit, startGitServer, type TestRepository } from "../../../harness/gitServer.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const deployment = (name: string, image: string) =>
  JSON.stringify({
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name } },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image }] } },
    },
  });
const service = (name: string) =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}}\nspec: {selector: {app: ${name}}, ports: [{port: 80}]}\n`;

describe.skipIf(!hasGit)("services of YAML files in a repository", () => {
  let slipway: Slipway;
  let git: GitServer;
  let repository: TestRepository;
  let host: Server;

  beforeAll(async () => {
    git = await startGitServer();
    repository = git.repository("team/shop.git");
    repository.commit("main", {
      "deploy/web/1-deployment.yaml": deployment("web", "web:1"),
      "deploy/web/2-service.yml": service("web"),
      "deploy/web/README.md": "no manifest",
      "deploy/web/more/other.yaml": "kind: Nothing",
      "deploy/api.yaml": deployment("api", "api:1"),
      "deploy/broken.yaml": "kind: [",
      "deploy/two words.yaml": deployment("words", "words:1"),
    });
    host = createServer((_request, response) => {
      const cwd = join(git.folder, "team/shop.git");
      response.end(execFileSync("git", ["archive", "--format=tar.gz", "--prefix=shop-0123456/", "main"], { cwd }));
    });
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
    const address = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    const code = { type: "gitea", address, alias: "git", auth_type: "token", access_token: "t" };
    expect((await slipway.call("POST", "/api/aslan/system/codehosts", { body: code })).status).toBe(200);
    for (const [project_key, project_type] of [
      ["shop", "yaml"],
      ["charts", "helm"],
    ])
      await slipway.call("POST", "/openapi/projects/project", {
        body: { project_name: project_key, project_key, project_type },
      });
  });

  afterAll(async () => {
    host?.closeAllConnections();
    await new Promise((resolve) => host.close(resolve));
    await git.close();
    await slipway.close();
  });

  const load = (service_paths: object[], more = "", product_name = "shop") =>
    slipway.call<{ description: string; code: number }>(
      "POST",
      `/openapi/service/loader/load?codehostName=git&repoName=shop&branchName=main&repoOwner=team${more}`,
      { body: { product_name, service_paths } },
    );
  const detail = async (name: string, kind = "") =>
    (await slipway.call<{ yaml: string }>("GET", `/openapi/service/yaml/${kind}${name}?projectKey=shop`)).json;
  const kinds = async (name: string, kind = "") =>
    (await detail(name, kind)).yaml.split("\n---\n").map((text) => /"?kind"?: ?"?(\w+)/.exec(text)?.[1]);

  test("are made of a file and of a folder, named after them or as it is said", async () => {
    const wanted = [
      { path: "deploy/web/", is_dir: true },
      { path: "/deploy/api.yaml" },
      { path: "deploy/api.yaml", service_name: "api-again" },
    ];
    const { status, text } = await load(wanted);
    expect(status, text).toBe(200);
    expect(await kinds("web")).toEqual(["Deployment", "Service"]);
    expect(await kinds("api")).toEqual(["Deployment"]);
    expect(await kinds("api-again")).toEqual(["Deployment"]);
    expect((await load([{ path: "deploy/api.yaml" }], "&production=true")).status).toBe(200);
    expect(await kinds("api", "production/")).toEqual(["Deployment"]);
  });

  test("that exist get a new revision", async () => {
    repository.commit("main", { "deploy/api.yaml": deployment("api", "api:2") });
    expect((await load([{ path: "deploy/api.yaml" }])).status).toBe(200);
    expect((await detail("api")).yaml).toContain("api:2");
    const { json } = await slipway.call("GET", "/openapi/service/yaml/api/revisions?projectKey=shop");
    expect(JSON.stringify(json)).toContain('"revision":2');
  });

  test.each([
    ["no such file", [{ path: "deploy/none.yaml" }], "body service_paths[0].path: the repository has no file"],
    ["a folder as a file", [{ path: "deploy/web" }], "send is_dir: true"],
    ["a folder without YAML", [{ path: "deploy/web/more/none", is_dir: true }], "has no folder deploy/web/more/none"],
    ["a way out", [{ path: "../x.yaml" }], "must lie in the repository"],
    ["a name that is none", [{ path: "deploy/two words.yaml" }], "service_paths[0].service_name: is required"],
    ["a name twice", [{ path: "deploy/api.yaml" }, { path: "deploy/api.yaml" }], "api is loaded twice"],
    ["nothing", [], "name at least one path"],
    [
      "broken YAML behind a good one",
      [{ path: "deploy/api.yaml", service_name: "fresh" }, { path: "deploy/broken.yaml" }],
      "",
    ],
  ])("cannot be made of %s, and none of them is made", async (_what, paths, problem) => {
    const { status, json } = await load(paths);
    expect([status, json.description]).toEqual([400, expect.stringContaining(problem)]);
    expect((await slipway.call("GET", "/openapi/service/yaml/fresh?projectKey=shop")).status).toBe(404);
  });

  test("need a code host, a repository and a project of YAML", async () => {
    const path = "/openapi/service/loader/load?branchName=main";
    const body = { product_name: "shop", service_paths: [{ path: "a.yaml" }] };
    const unknown = await slipway.call<{ description: string }>(
      "POST",
      `${path}&codehostName=none&repoName=shop&namespace=team`,
      { body },
    );
    expect([unknown.status, unknown.json.description]).toEqual([400, expect.stringContaining("code host none")]);
    const bare = await slipway.call<{ description: string }>("POST", path, { body });
    expect(bare.json.description).toContain("query codehostName: is required");
    const half = await slipway.call<{ description: string }>("POST", `${path}&codehostName=git`, { body });
    for (const field of ["repoName", "repoOwner"])
      expect(half.json.description).toContain(`query ${field}: is required`);
    const helm = await load([{ path: "deploy/api.yaml" }], "", "charts");
    expect(helm.status).toBe(400);
    expect((await load([{ path: "deploy/api.yaml" }], "", "none")).status).toBe(404);
  });
});
