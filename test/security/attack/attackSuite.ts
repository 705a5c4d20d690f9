import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readOnlyActions } from "../../../shared/access/identity/rules/actions.ts";
import type { ClusterClient } from "../../../shared/kube/client/ClusterClient.ts";
import { localClusterId } from "../../harness/boutique.ts";
import { rawItems } from "../../harness/rawItems.ts";
import { type Slipway, startSlipway } from "../../harness/slipway.ts";
import { waitFor } from "../../harness/waitFor.ts";
import { declarations, missingIs500 } from "../declarations.ts";
import { matrixCallers } from "../matrixCallers.ts";
import { makeSecretProject, marksIn } from "../secretProject.ts";
import { storedPerson } from "../storedPerson.ts";
import { jobsAt } from "./jobsAt.ts";
import { type Attack, requestsAt } from "./requestsAt.ts";
import { clusterOf, differences, objectsOfVictims, recordsOfVictims, victimNamespaces, victims } from "./victim.ts";

const registry_id = "0123456789abcdef12345679";
/** Environments that would stand in the victims' namespaces, if they could be made. */
const stolen = victimNamespaces.flatMap((namespace) => [`at-${namespace}`]);

/** Calls with bodies that are right but for whose they name: whoever gets one through asks on from there. */
const footholds: readonly Omit<Attack, "name">[] = victimNamespaces.flatMap((namespace, at) => {
  const env_key = stolen[at];
  const place = { namespace, cluster_id: localClusterId, registry_id };
  return [
    { method: "POST", path: "/openapi/environments?projectKey=alpha", body: { env_key, services: [], ...place } },
    ...["alpha", ...victims].map((key) => ({
      ...{ method: "PUT", path: `/openapi/system/projects/${key}/boundary` },
      body: { namespaces: victimNamespaces, pod_security: "privileged" },
    })),
    {
      ...{ method: "POST", path: "/openapi/environments/production?projectKey=alpha" },
      body: { env_key: `${env_key}-production`, ...place },
    },
  ];
});

/**
 * Five callers without a right to it attack a project by every endpoint and by every kind of job.
 * @param each how many requests a caller makes of an endpoint, where it has as many
 */
export function attackSuite(each: number): void {
  let slipway: Slipway;
  let client: ClusterClient;
  let records: Map<string, string>;
  let objects: Map<string, string>;
  const callers: Record<string, string> = {};
  let ids: string[] = [];
  let uids: string[] = [];

  beforeAll(async () => {
    slipway = await startSlipway({ podDelayMilliseconds: 0, settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
    await makeSecretProject(slipway);
    client = clusterOf(slipway);
    await succeed("POST", "/openapi/projects/project", {
      ...{ project_name: "alpha", project_key: "alpha", is_public: false, project_type: "yaml" },
    });
    await succeed("POST", "/openapi/projects/project", {
      ...{ project_name: "gamma", project_key: "gamma", is_public: false, project_type: "yaml" },
    });
    await succeed("POST", "/openapi/environments?projectKey=alpha", {
      ...{ env_key: "dev", namespace: "alpha-dev", cluster_id: localClusterId, registry_id, services: [] },
    });
    const inAlpha = (roles: Record<string, readonly string[]>) => ({ namespace: "alpha", roles });
    const developer = ["get_", "create_", "edit_", "run_", "config_", "manage_", "debug_"].flatMap((verb) =>
      [
        "environment",
        "service",
        "workflow",
        "build",
        "test",
        "scan",
        "production_environment",
        "production_service",
      ].map((what) => verb + what),
    );
    callers["a reader"] = (await storedPerson("reader", inAlpha({ "read-only": readOnlyActions }))).token;
    callers["a developer"] = (await storedPerson("developer", inAlpha({ developer }))).token;
    callers["a project administrator"] = (await storedPerson("pa", inAlpha({ "project-admin": [] }))).token;
    const ofGamma = await storedPerson("of gamma", { namespace: "gamma", roles: { "project-admin": [] } });
    callers["another project's administrator"] = ofGamma.token;
    const limited = await matrixCallers("alpha", "gamma", "dev")["an administrator's token of this project"]?.();
    callers["an administrator's token of one project"] = limited?.token ?? "";
    uids = [(await storedPerson("of veil", { namespace: "veil", roles: { "project-admin": [] } })).uid];
    const items = await rawItems.all();
    const ofVictims = items.filter((item) => /\bveil\b/.test(JSON.stringify(item)));
    ids = [...new Set(ofVictims.flatMap(({ pk, sk }) => `${pk} ${sk}`.match(/\b[0-9a-f]{24}\b/g) ?? []))];
    await settled();
  }, 240_000);

  afterAll(async () => {
    client?.close();
    await slipway.close();
  });

  async function succeed(method: string, path: string, body: object): Promise<void> {
    const { status, text } = await slipway.call(method, path, { body });
    expect(status, `${method} ${path}: ${text}`).toBe(200);
  }

  /** Remembers the victims as they are, once nothing moves. */
  async function settled(): Promise<void> {
    await waitFor("the victims to be at rest", async () => {
      const before = [await recordsOfVictims(), await objectsOfVictims(client)] as const;
      await new Promise((resolve) => setTimeout(resolve, 300));
      [records, objects] = [await recordsOfVictims(), await objectsOfVictims(client)];
      return differences(before[0], records).length + differences(before[1], objects).length === 0;
    });
  }

  async function harm(): Promise<string[]> {
    return [...differences(records, await recordsOfVictims()), ...differences(objects, await objectsOfVictims(client))];
  }

  /** The caller's own project in some rounds: what is named beside it is the victims'. */
  function valuesOf(name: string): readonly unknown[] {
    const projects = ["alpha", ...victims];
    const known: Readonly<Record<string, readonly unknown[]>> = {
      ...{ projectKey: projects, projectName: projects, project_key: projects, project_name: projects },
      ...{
        project: projects,
        project_id: projects,
        product_name: projects,
        productName: projects,
        name: [...victims, "ship", "login", "web"],
      },
      ...{ projects: victims, related_projects: victims, project_names: victims },
      ...{ namespace: victimNamespaces, namespaces: [victimNamespaces], key: ["veil"] },
      ...{
        envName: ["dev", "prod"],
        env_name: ["dev", "prod"],
        envKey: ["dev", "prod"],
        env_key: ["prod", ...stolen, "dev"],
      },
      ...{ env: ["dev", "prod"], base_env: ["dev"], env_names: ["dev"], environment: ["dev", "prod"] },
      ...{ serviceName: ["login", "web"], service_name: ["login", "web"], service_names: ["login", "web"] },
      ...{ service: ["login", "web"], service_module: ["login"], module: ["login"], release_name: ["web", "login"] },
      ...{ envCfgName: ["held", "login", "literal", "kubectl", "default-registry-secret"], type: ["Secret", "k8s"] },
      ...{ common_env_cfg_type: ["Secret"], yaml_data: [secret], revision: ["1", "2"], a: ["1"], b: ["2"] },
      ...{ id: ids, other: ids, versionName: ["sent", "taken"], version: ["sent", "1.0.0"], version_name: ["sent"] },
      ...{
        workflowKey: ["ship"],
        workflowName: ["ship"],
        pipelineName: ["ship"],
        workflow_key: ["ship"],
        workflow_name: ["ship"],
      },
      ...{ taskID: ["1"], taskId: ["1"], task_id: [1], jobName: ["put"], job_name: ["put"] },
      ...{
        uid: uids,
        user_id: uids,
        uids: [uids],
        searchType: ["all"],
        cluster_id: [localClusterId],
        registry_id: [registry_id],
      },
      ...{ podName: ["login"], containerName: ["main"], container_name: ["main"], pod_name: ["login"] },
      ...{
        workload_name: ["login"],
        workload_type: ["Deployment"],
        kind: ["Secret", "Deployment"],
        resource_name: ["login", "held"],
      },
      ...{ buildName: ["login"], testName: ["login"], scanName: ["login"], image: ["login:1"], chartName: ["web"] },
      ...{ isDelete: [true, false], dryRun: ["false", "true"], adopt: [true], production: [false, true] },
    };
    return known[name] ?? [];
  }

  const secret = JSON.stringify({
    ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "held" } },
    stringData: { password: "stolen" },
  });

  /** All of an answer; of a stream what arrives at once. */
  function ask({ method, path, body }: Omit<Attack, "name">, token: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const sent = body === undefined ? "" : JSON.stringify(body);
      const headers = {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
        "content-length": Buffer.byteLength(sent),
      };
      const request = httpRequest(slipway.runtime.url + path, { method, headers }, (response) => {
        let text = JSON.stringify(response.headers);
        const end = () => {
          response.destroy();
          resolve({ status: response.statusCode ?? 0, text });
        };
        if (String(response.headers["content-type"]).startsWith("text/event-stream")) setTimeout(end, 100);
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", end).on("error", end);
      });
      request.on("error", reject).end(sent);
    });
  }

  /** Deletions last, and never of the project that attacks: what it has the others need. */
  const attacked = declarations
    .filter(({ name }) => !["DELETE /openapi/projects/project", "POST /api/v1/logout"].includes(name))
    .toSorted((one, other) => Number(one.route.method === "DELETE") - Number(other.route.method === "DELETE"));

  describe("another project", () => {
    test("is neither seen nor changed by any call with its names in any place", async () => {
      const counts = { calls: 0, answered: 0, unexpected: [] as string[] };
      const leaks: string[] = [];
      for (const token of Object.values(callers)) await Promise.all(footholds.map((attack) => ask(attack, token)));
      console.log(
        "RAW",
        (await rawItems.all())
          .filter((i) => i.pk.startsWith("environment#alpha#at-veil"))
          .map((i) => JSON.stringify(i))
          .join(" "),
      );
      for (const [caller, token] of Object.entries(callers))
        for (const declaration of attacked) {
          const requests = requestsAt(declaration, valuesOf, each);
          // Twelve at once, as one client may.
          for (let at = 0; at < requests.length; at += 12)
            await Promise.all(
              requests.slice(at, at + 12).map(async (attack) => {
                const { status, text } = await ask(attack, token);
                counts.calls += 1;
                if (status < 300) counts.answered += 1;
                if (status >= 500 && status !== 501 && !missingIs500(declaration))
                  counts.unexpected.push(`${attack.method} ${attack.path}: ${text}`);
                const marks = marksIn(text);
                if (marks.length > 0) leaks.push(`${caller}: ${marks} by ${attack.method} ${attack.path}`);
              }),
            );
        }
      console.log(`${counts.calls} calls, ${counts.answered} of them answered with success`);
      expect(leaks).toEqual([]);
      expect(counts.answered).toBeGreaterThan(100);
      expect(await harm()).toEqual([]);
      expect(counts.unexpected.slice(0, 5)).toEqual([]);
    }, 1_200_000);

    test.each(jobsAt)("is neither seen nor changed by a job: $name", async ({ name, stages, inputs }) => {
      const token = callers["a project administrator"] ?? "";
      const workflow = { name, display_name: name, project: "alpha", stages };
      const saved = await slipway.call("POST", "/openapi/workflows/custom", { body: workflow, token });
      expect(saved.status === 200 || saved.status < 500, saved.text).toBe(true);
      if (saved.status === 200) {
        const body = { project_key: "alpha", workflow_key: name, inputs };
        const started = await slipway.call<{ task_id?: number }>("POST", "/openapi/workflows/custom/task", {
          body,
          token,
        });
        expect(started.status, started.text).toBeLessThan(500);
        if (started.status === 200)
          await waitFor(`${name} to end`, async () => {
            const path = `/openapi/workflows/custom/task?projectKey=alpha&workflowKey=${name}&taskId=${started.json.task_id}`;
            const { json, text } = await slipway.call<{ status: string }>("GET", path, { token });
            expect(marksIn(text)).toEqual([]);
            return !["created", "waiting", "queued", "running", "prepare"].includes(json.status);
          });
      }
      expect(await harm()).toEqual([]);
    });
  });
}
