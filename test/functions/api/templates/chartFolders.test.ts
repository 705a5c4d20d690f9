import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type GitServer, hasGit, startGitServer, type TestRepository } from "../../../harness/gitServer.ts";
import { chartFiles } from "../../../harness/packedChart.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const templates = "/api/aslan/template/charts";
const token = "token-of-the-code-host";
const kinds = ["github", "gitlab", "gitea", "gitee"] as const;

/** Where each kind of code host serves the archive of a branch; GitHub sends on to another server. */
const places: Record<string, (typeof kinds)[number]> = {
  "/api/v3/repos/team/shop/tarball/release/1": "github",
  "/api/v4/projects/team%2Fsub%2Fshop/repository/archive.tar.gz?sha=release%2F1&path=deploy%2Fweb": "gitlab",
  "/api/v1/repos/team/shop/archive/release/1.tar.gz": "gitea",
  "/api/v5/repos/team/shop/tarball?ref=release%2F1": "gitee",
};

if (!hasGit) {
  console.warn("SKIPPED: charts in repositories. git must be installed: it makes the archives.");
  describe.skip("charts in repositories: there is no git", () => test("skipped", () => {}));
} else {
  let slipway: Slipway;
  let git: GitServer;
  let repository: TestRepository;
  let host: Server;
  let archives: Server;
  /** Answers instead of the archive. */
  let status: number | undefined;
  let body: Buffer | undefined;
  const strangers: string[] = [];

  /** As code hosts make it. */
  const archive = () =>
    body ??
    execFileSync("git", ["archive", "--format=tar.gz", "--prefix=team-shop-0123456/", "release/1"], {
      cwd: join(git.folder, "team/shop.git"),
    });
  const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const listen = (server: Server) =>
    new Promise<Server>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
  const chart = (version: string) =>
    Object.fromEntries(Object.entries(chartFiles(version)).map(([path, text]) => [`deploy/web/${path}`, text]));

  beforeAll(async () => {
    git = await startGitServer();
    repository = git.repository("team/shop.git");
    repository.commit("release/1", {
      ...chart("1.0.0"),
      "README.md": "not of the chart\n",
      "deploy/other/Chart.yaml": "no",
    });
    archives = await listen(
      createServer(({ headers }, response) => {
        if (headers.authorization !== undefined) strangers.push(headers.authorization);
        response.end(archive());
      }),
    );
    host = await listen(
      createServer(({ url = "", headers }, response) => {
        const kind = places[url];
        const sent = kind === "gitlab" ? headers["private-token"] : headers.authorization?.split(" ")[1];
        if (sent !== token) return void response.writeHead(401).end();
        if (kind === undefined) return void response.writeHead(404).end();
        if (status !== undefined) return void response.writeHead(status).end();
        if (kind !== "github") return void response.end(archive());
        response.writeHead(302, { location: `${addressOf(archives)}/signed` }).end();
      }),
    );
    slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
    for (const type of [...kinds, "gerrit"]) {
      const code = { type, address: addressOf(host), alias: type, auth_type: "token", access_token: token };
      expect((await slipway.call("POST", "/api/aslan/system/codehosts", { body: code })).status).toBe(200);
    }
  });

  afterAll(async () => {
    for (const server of [host, archives]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    await git.close();
    await slipway.close();
  });

  beforeEach(() => {
    status = undefined;
    body = undefined;
  });

  const from = (codehostName: string, more: object = {}) => ({
    ...{ codehostName, repo: "shop", branch: "release/1", path: "/deploy/web/" },
    ...{ namespace: codehostName === "gitlab" ? "team/sub" : "team" },
    ...more,
  });
  const create = (name: string, createFrom: unknown) =>
    slipway.call<{ description: string }>("POST", templates, { body: { name, source: "repo", createFrom } });
  const read = async (name: string) =>
    (await slipway.call<Record<string, unknown>>("GET", `${templates}/${name}`)).json;

  describe("a chart template from a repository", () => {
    test.each(kinds)("has the chart of its folder, read from %s", async (kind) => {
      expect((await create(kind, from(kind))).text).toBe('{"message":"success"}');
      expect(await read(kind)).toMatchObject({
        ...{ source: "repo", chart_name: "web", chart_version: "1.0.0" },
        create_from: { ...from(kind), path: "deploy/web" },
      });
      expect(strangers).toEqual([]);
    });

    test("takes the list of folders that other servers take, with one of them", async () => {
      const listed = { ...from("gitea"), path: undefined, paths: ["deploy/web"] };
      expect((await create("listed", listed)).text).toBe('{"message":"success"}');
      const two = await create("two", { ...listed, paths: ["deploy/web", "deploy/other"] });
      expect([two.status, two.text]).toEqual([400, expect.stringContaining("name one path")]);
    });

    test("is read again by a PUT with its source, and services that follow it go along", async () => {
      expect((await create("again", from("gitee"))).status).toBe(200);
      const project = { project_name: "Charts", project_key: "charts", is_public: false, project_type: "helm" };
      expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).status).toBe(200);
      const service = { service_name: "web", template_name: "again", auto_sync: true };
      const loaded = await slipway.call("POST", "/openapi/service/template/load/helm?projectKey=charts", {
        body: service,
      });
      expect(loaded.status, loaded.text).toBe(200);
      repository.commit("release/1", chart("1.1.0"));
      const sent = { source: "repo", createFrom: from("gitee"), variables: [] };
      const answer = await slipway.call("PUT", `${templates}/again`, { body: sent });
      expect(answer.json).toEqual({ message: "success", updated: 1, failed: [], pending: 0 });
      expect(await read("again")).toMatchObject({ chart_version: "1.1.0" });
    });

    const oneFile = (type: "file" | "bytes") => (type === "bytes" ? randomBytes(100) : Buffer.from("<html>"));
    test.each([
      ["no code host", () => from("none"), "code host none does not exist"],
      ["a code host without such an API", () => from("gerrit"), "github, gitlab, gitee and gitea can"],
      ["no branch", () => from("gitea", { branch: "" }), "createFrom.branch"],
      ["another branch", () => from("gitea", { branch: "none" }), "has no branch none of team/shop"],
      ["a folder that is not there", () => from("gitea", { path: "deploy/none" }), "no folder deploy/none"],
      ["a folder that is no chart", () => from("gitea", { path: "deploy" }), "no Chart.yaml"],
      ["a path out of the repository", () => from("gitea", { path: "deploy/../.." }), "must lie in the repository"],
      ["what is no Chart.yaml", () => from("gitea", { path: "deploy/other" }), "Chart.yaml is no map"],
    ])("with %s is refused and why is told", async (_what, sent, words) => {
      const answer = await create("refused", sent());
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)]);
      expect((await slipway.call("GET", `${templates}/refused`)).status).toBe(404);
    });

    test.each([
      [401, "does not accept its access token"],
      [403, "may not read branch release/1 of team/shop"],
      [500, "answers with status 500"],
    ])("that a code host answers with %i is refused", async (code, words) => {
      status = code;
      const answer = await create("refused", from("gitee"));
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)]);
    });

    test.each(["bytes", "file"] as const)("that is no archive (%s) is refused", async (type) => {
      body = oneFile(type);
      const answer = await create("refused", from("gitea"));
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("no packed chart")]);
    });
  });

  describe("services straight from a repository", () => {
    const project = "loads";
    const load = (createFrom: object, more: object = {}) =>
      slipway.call<{ code: number }>("POST", `/openapi/service/helm/load?projectKey=${project}`, {
        body: { source: "repo", createFrom, ...more },
      });
    const folders = (...paths: string[]) => ({ ...from("gitea"), path: undefined, paths });

    beforeAll(async () => {
      const body = { project_name: project, project_key: project, is_public: false, project_type: "helm" };
      expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
      const second = Object.entries(chart("1.0.0")).map(([path, text]) => [
        path.replace("/web/", "/api/"),
        text.replace("name: web\n", "name: api\n"),
      ]);
      repository.commit("release/1", { ...chart("1.2.0"), ...Object.fromEntries(second) });
    });

    test("are one for each folder; one that is wrong stops no other", async () => {
      const { status, json } = await load(folders("deploy/web", "deploy/other", "deploy/api"));
      expect([status, json]).toEqual([
        200,
        {
          successServices: ["api", "web"],
          failedServices: [{ path: "deploy/other", error: expect.stringContaining("Chart.yaml is no map") }],
        },
      ]);
    });

    test("take what the branch has when they are loaded again, and the name that is sent for one", async () => {
      repository.commit("release/1", chart("1.3.0"));
      expect((await load(from("gitea"))).json).toEqual({ successServices: ["web"], failedServices: [] });
      expect((await load(from("gitea"), { name: "shop", source: "gitee" })).json).toMatchObject({
        successServices: ["shop"],
      });
      const list = await slipway.call("GET", `/openapi/service/yaml/services?projectKey=${project}`);
      for (const name of ["api", "shop", "web"]) expect(list.text).toContain(`"service_name":"${name}"`);
    });

    test.each([
      ["one folder that is no chart", () => load(from("gitea", { path: "deploy/other" })), 400, "Chart.yaml is no map"],
      [
        "folders of which none is one",
        () => load(folders("deploy/other", "deploy/none")),
        6040,
        "no folder deploy/none",
      ],
      [
        "a name for two",
        () => load(folders("deploy/web", "deploy/api"), { name: "web" }),
        400,
        "names of their charts",
      ],
      ["eleven folders", () => load(folders(...Array<string>(11).fill("deploy/web"))), 400, "at most 10"],
      ["a path out of the repository", () => load(folders("deploy/web", "../a")), 400, "createFrom.paths.1"],
      ["a code host that cannot", () => load(from("gerrit"), { source: "gerrit" }), 400, "github, gitlab, gitee"],
    ])("are refused with %s", async (_what, ask, code, words) => {
      const { status, json, text } = await ask();
      expect([status, json.code], text).toEqual([400, code]);
      expect(text).toContain(words);
    });
  });
}
