import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newToken } from "../../shared/access/identity/session/tokenText.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId, untilStatus } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import { type OpenStream, openStream } from "./eventStream.ts";
import { newPerson } from "./people.ts";
import { adminToken, type Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

export interface LogStanding extends Standing {
  /** What the cluster has in the log of every pod that it plays. */
  log: readonly string[];
  /** How many logs the cluster is sending now, by its own account. */
  openLogs(): Promise<number>;
}

interface Failure {
  code: number;
  description: string;
  extra: { problems?: { in: string; path: string; problem: string }[] };
}

const environments = "/openapi/environments";
const success = '{"message":"success"}';
const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      initContainers: [{ name: first, image: "first:1" }]
      containers: [{ name: main, image: "web:1" }, { name: side, image: "side:1" }]
`;

/** Following the log of a container: the same on every cluster. */
export function podLogSuite(cluster: string, open: () => Promise<LogStanding>): void {
  let standing: LogStanding;
  let slipway: Slipway;
  let client: ClusterClient;
  const pods: Record<"dev" | "other" | "prod", string> = { dev: "", other: "", prod: "" };
  const namespace = `slipway-test-${randomBytes(4).toString("hex")}`;
  const streams: OpenStream[] = [];

  beforeAll(async () => {
    standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).text).toBe(success);
    for (const kind of ["", "production/"]) {
      const path = `/openapi/service/yaml/${kind}raw?projectKey=shop`;
      expect((await slipway.call("POST", path, { body: { service_name: "web", yaml: web } })).text).toBe(success);
    }
    const services = [{ service_name: "web" }];
    for (const env_key of ["dev", "other"]) {
      const body = { ...place, env_key, namespace: `${namespace}-${env_key}`, services };
      expect((await slipway.call("POST", `${environments}?projectKey=shop`, { body })).text).toBe(success);
    }
    const prod = { ...place, env_key: "prod", namespace: `${namespace}-prod` };
    const production = `${environments}/production?projectKey=shop`;
    expect((await slipway.call("POST", production, { body: prod })).text).toBe(success);
    await waitFor("prod to stand", async () => {
      const { json } = await slipway.call<{ stored_status: string }>(
        "GET",
        `${environments}/production/prod?projectKey=shop`,
      );
      return json.stored_status === "success";
    });
    const added = { env_key: "prod", service_list: services };
    const addPath = `${environments}/production/service/yaml?projectKey=shop`;
    expect((await slipway.call("POST", addPath, { body: added })).text).toBe(success);
    for (const env of ["dev", "other"]) await untilStatus(slipway, "shop", env, "running", 90);
    for (const env of ["dev", "other", "prod"] as const) pods[env] = await podOf(env);
  });

  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.leave();
    await waitFor("the cluster to send no log any more", async () => (await standing.openLogs()) === 0);
  });

  afterAll(async () => {
    for (const env of Object.keys(pods))
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: `${namespace}-${env}` });
    client.close();
    await slipway.close();
  });

  const podOf = (env: "dev" | "other" | "prod"): Promise<string> =>
    waitFor(`a running pod in ${env}`, async () => {
      const path = `${environments}/${env === "prod" ? "production/" : ""}${env}/service/web/pods?projectKey=shop`;
      const { json } = await slipway.call<{ pods: { pod_name: string; pod_ready: boolean }[] }>("GET", path);
      return json.pods.find(({ pod_ready }) => pod_ready)?.pod_name;
    });

  const pathOf = (query: string, { env = "dev", pod = pods.dev, container = "main" } = {}): string =>
    `/openapi/logs/sse/pods/${pod}/containers/${container}?projectKey=shop&envName=${env}${query}`;

  const follow = async (path: string, options: Parameters<typeof openStream>[2] = {}): Promise<OpenStream> => {
    const stream = await openStream(slipway.runtime.url, path, options);
    streams.push(stream);
    return stream;
  };

  const last = (count: number): readonly string[] => standing.log.slice(-count);

  /** Exactly these lines come, and then it goes on. */
  const expectLines = async (path: string, lines: readonly string[]): Promise<OpenStream> => {
    const stream = await follow(path);
    expect(stream.status, stream.text()).toBe(200);
    expect(await stream.lines(lines.length)).toEqual(lines);
    expect(stream.hasEnded()).toBe(false);
    return stream;
  };

  const refused = async (path: string, status: number, token: string | null = adminToken): Promise<Failure> => {
    const answer = await slipway.call<Failure>("GET", path, { token });
    expect(answer.status, answer.text).toBe(status);
    expect(Object.keys(answer.json).sort()).toEqual(["code", "description", "extra", "message", "type"]);
    return answer.json;
  };

  describe(`the log of a container on ${cluster}`, () => {
    test("comes as events, last lines first, and goes on", async () => {
      const { headers, text } = await expectLines(pathOf("&tails=2"), last(2));
      expect(text().replaceAll(/^id:.+\n/gm, "")).toBe(
        last(2)
          .map((line) => `event:message\ndata:${line}\n\n`)
          .join(""),
      );
      expect(headers["content-type"]).toBe("text/event-stream");
      expect(headers["cache-control"]).toBe("no-store");
      expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
      // The cluster counts those of all its clients, and other tests may read one at the moment.
      expect(await standing.openLogs()).toBeGreaterThan(0);
    });

    test.each(["", "&tails=many", "&tails=", "&tails=1.5"])("has ten lines to begin with for %j", async (query) => {
      await expectLines(pathOf(query), last(10));
    });

    test("takes the number of lines as tailLines too; tails wins", async () => {
      await expectLines(pathOf("&tailLines=1"), last(1));
      await expectLines(pathOf("&tailLines=1&tails=200"), last(200));
    });

    test("is read of any container, those that ran first included", async () => {
      await expectLines(pathOf("&tails=1", { container: "side" }), last(1));
      const stream = await follow(pathOf("&tails=1", { container: "first" }));
      expect(await stream.lines(1)).toEqual(last(1));
    });

    test("goes on behind the line that was seen last, without a gap or a repetition", async () => {
      const whole = await expectLines(pathOf("&tails=1000"), standing.log);
      const ids = whole.ids();
      expect(ids).toHaveLength(standing.log.length);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [at, lastEventId] of ids.entries()) {
        if (at % 7 !== 0 && at < ids.length - 2) continue;
        const rest = standing.log.slice(at + 1);
        const stream = await follow(pathOf("&tails=1"), { lastEventId });
        expect(await stream.lines(rest.length)).toEqual(rest);
        expect([stream.ids(), stream.hasEnded()]).toEqual([ids.slice(at + 1), false]);
      }
      const none = await follow(pathOf("&tails=2"), { lastEventId: "not an id of ours" });
      expect(await none.lines(last(2).length)).toEqual(last(2));
    });

    test("is silent while there is nothing to tell, and already begun", async () => {
      const stream = await follow(pathOf("&tails=0"));
      expect([stream.status, stream.text(), stream.hasEnded()]).toEqual([200, "", false]);
    });

    test("begins with what is not older than since", async () => {
      await expectLines(pathOf("&since=100000h&tails=1"), last(1));
      // The line is older than two seconds by now, or will be in a moment.
      await waitFor("the lines to be old", async () => {
        const stream = await follow(pathOf("&since=500ms"));
        expect(stream.status).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 300));
        return stream.events().length === 0;
      });
    });

    test("is not sent by the cluster any more once its client has left", async () => {
      const one = await expectLines(pathOf("&tails=1"), last(1));
      await expectLines(pathOf("&tails=1"), last(1));
      await waitFor("the cluster to send both", async () => (await standing.openLogs()) === 2);
      one.leave();
      await waitFor("one log to remain", async () => (await standing.openLogs()) === 1, 5);
    });

    test("is not sent any more when its client leaves before the first line", async () => {
      const quiet = await follow(pathOf("&tails=0"));
      await waitFor("the cluster to have it", async () => (await standing.openLogs()) === 1, 5);
      quiet.leave();
      await waitFor("no log to remain", async () => (await standing.openLogs()) === 0, 5);
    });
  });

  describe(`a log on ${cluster} is refused before it begins`, () => {
    test("of a pod that is not there, not the environment's, or nobody's, in the same words", async () => {
      const other = { env: "dev", pod: pods.other };
      expect(await refused(pathOf("", other), 404)).toMatchObject({
        code: 404,
        description: `pod ${pods.other} in environment dev does not exist`,
      });
      await client.create({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "foreign", namespace: `${namespace}-dev` },
        spec: { containers: [{ name: "main", image: "foreign:1" }] },
      });
      for (const pod of ["foreign", "absent", "x".repeat(253), "%C3%BC"]) {
        const { description } = await refused(pathOf("", { pod }), 404);
        expect(description).toBe(`pod ${decodeURIComponent(pod)} in environment dev does not exist`);
      }
    });

    test("of an unknown container, naming those that there are", async () => {
      expect((await refused(pathOf("", { container: "nope" }), 404)).description).toBe(
        `container nope in pod ${pods.dev} does not exist; its containers are main, side, first`,
      );
    });

    test("of an unknown environment or project", async () => {
      const { description } = await refused(pathOf("", { env: "absent" }), 404);
      expect(description).toBe("environment absent in project shop does not exist");
      await refused(pathOf("").replace("projectKey=shop", "projectKey=nowhere"), 404);
    });

    test.each(["90", "5 m", "abc", "0s", "-5m", "1d"])("with since=%s, saying what would be right", async (since) => {
      const { description, extra } = await refused(pathOf(`&since=${encodeURIComponent(since)}`), 400);
      expect(description).toContain(`invalid since: ${JSON.stringify(since)}`);
      expect(description).toContain("90s, 5m or 1h30m");
      expect(extra.problems).toMatchObject([{ in: "query", path: "since" }]);
    });

    test("with a negative number of lines, and with everything else that is wrong at once", async () => {
      const { extra } = await refused(pathOf("&tails=-1&since=x"), 400);
      expect(extra.problems?.map(({ path }) => path).sort()).toEqual(["since", "tails"]);
    });

    test("without project or environment", async () => {
      for (const name of ["projectKey", "envName"]) {
        const path = pathOf("").replace(new RegExp(`${name}=\\w+`), "");
        expect((await refused(path, 400)).extra.problems).toMatchObject([{ in: "query", path: name }]);
      }
    });

    test("to whom may not read environments of its kind", async () => {
      const roles = { dev: "get_environment", prod: "get_production_environment" } as const;
      for (const [own, foreign] of [
        ["dev", "prod"],
        ["prod", "dev"],
      ] as const) {
        const held = [{ namespace: "shop", roles: { reader: [roles[own]] } }];
        const { token } = await newPerson(`reader-of-${own}`, held);
        const stream = await follow(pathOf("&tails=1", { env: own, pod: pods[own] }), { token });
        expect(stream.status).toBe(200);
        const { description } = await refused(pathOf("", { env: foreign, pod: pods[foreign] }), 403, token);
        expect(description).toContain(roles[foreign]);
      }
    });
  });

  describe(`the token of a log on ${cluster}`, () => {
    test("may stand in the query and wins over the header", async () => {
      const { token } = await newPerson("nobody");
      for (const header of [null, token]) {
        const stream = await follow(pathOf(`&tails=1&token=${adminToken}`), { token: header });
        expect(stream.status, stream.text()).toBe(200);
      }
      await refused(pathOf(`&token=${token}`), 403);
      expect((await refused(pathOf(""), 401, null)).description).toBe("missing authorization header");
      expect((await refused(pathOf("&token="), 401, null)).description).toBe("missing authorization header");
      expect((await refused(pathOf("&token=slw_short"), 401)).description).toContain("malformed");
      expect((await refused(pathOf(`&token=${newToken("api")}`), 401)).description).toBe("token mismatch");
      expect((await refused(pathOf(`&token=${adminToken}&token=${adminToken}`), 401)).description).toContain(
        "malformed",
      );
    });

    test("counts nowhere else, and stands in no log", async () => {
      const list = await slipway.call<Failure>("GET", `${environments}?projectKey=shop&token=${adminToken}`, {
        token: null,
      });
      expect([list.status, list.json.description]).toEqual([401, "missing authorization header"]);
      const written = readFileSync(join(slipway.dataDir, "log.ndjson"), "utf8");
      expect(written).toContain("/openapi/logs/sse/pods/:podName");
      expect(written).not.toContain(adminToken);
    });
  });
}
