import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { detailOf, environmentBody, untilStatus } from "../harness/boutique.ts";
import { untilStored } from "../harness/environmentSuite.ts";
import { deploymentYaml, roleYaml } from "../harness/manifests.ts";
import { type Answer, type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

/** The moment of a race, which no condition tells. */
const later = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const services = ["web", "cache", "late"];
const success = '{"message":"success"}';
const list = "/openapi/environments?projectKey=shop";
const changes = "/openapi/environments/service/yaml?projectKey=shop";

type Refusal = { code: number; description: string };

/**
 * What happens at the same moment to environments of one name.
 * @param rounds how many moments each race is tried at
 */
export function environmentRaces(rounds: number): void {
  let slipway: Slipway;
  let cluster: ClusterClient;

  beforeAll(async () => {
    slipway = await startSlipway({ podDelayMilliseconds: 0 });
    const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
    cluster = connect({ kind: "kubeconfig", text, trusted: true });
    const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
    await slipway.call("POST", "/openapi/projects/project", { body: project });
    for (const name of services) await save("POST", name, `${name}:1`);
  });

  afterAll(async () => {
    cluster.close();
    await slipway.close();
  });

  async function save(method: "POST" | "PUT", name: string, image: string): Promise<void> {
    const yaml = `${deploymentYaml(name, image)}\n---\n${roleYaml(`shop-${name}`)}`;
    const path = method === "POST" ? "raw" : name;
    const body = { service_name: name, type: "k8s", yaml };
    const answer = await slipway.call(method, `/openapi/service/yaml/${path}?projectKey=shop`, { body });
    if (answer.status !== 200) throw new Error(answer.text);
  }

  function create(envKey: string, names: readonly string[] = ["web", "cache"]): Promise<Answer<Refusal>> {
    const wanted = names.map((service_name) => ({ service_name, type: "k8s" }));
    return slipway.call("POST", list, { body: { ...environmentBody(envKey, `shop-${envKey}`), services: wanted } });
  }

  function change(method: "POST" | "PUT", envKey: string, name: string): Promise<Answer<Refusal>> {
    return slipway.call(method, changes, { body: { env_key: envKey, service_list: [{ service_name: name }] } });
  }

  function remove(envKey: string): Promise<Answer<Refusal>> {
    return slipway.call("DELETE", `/openapi/environments/${envKey}?projectKey=shop&isDelete=true`);
  }

  async function untilGone(envKey: string): Promise<void> {
    await waitFor(`${envKey} to be gone`, async () => {
      return (await slipway.call("GET", `/openapi/environments/${envKey}?projectKey=shop`)).status === 404;
    });
  }

  /** Names of everything in the cluster that carries the mark of an environment. */
  async function left(): Promise<string[]> {
    const kinds = [
      { apiVersion: "apps/v1", kind: "Deployment" },
      { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" },
    ];
    const lists = await Promise.all(
      kinds.map((kind) => cluster.list(kind, { labelSelector: "slipway.dev/environment" })),
    );
    return lists.flatMap(({ items }) => items.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  }

  async function namespaceStands(name: string): Promise<boolean> {
    const { items } = await cluster.list({ apiVersion: "v1", kind: "Namespace" });
    return items.some(({ metadata }) => metadata.name === name);
  }

  async function imageOf(envKey: string, name: string): Promise<unknown> {
    const detail = await detailOf(slipway, "shop", envKey);
    return detail.services.find(({ service_name }) => service_name === name)?.containers[0]?.image;
  }

  test("of 50 identical creations one wins, and 49 hear that the environment exists", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create("raced")));
    expect(answers.filter(({ text }) => text === success)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, json } of refused) {
      expect({ status, code: json.code }).toEqual({ status: 400, code: 6074 });
      expect(json.description).toContain("environment already exists: raced in project shop");
    }
    await untilStatus(slipway, "shop", "raced", "running");
    expect((await left()).sort()).toEqual(
      ["ClusterRole shop-cache", "ClusterRole shop-web", "Deployment cache", "Deployment web"].sort(),
    );
    expect((await remove("raced")).text).toBe(success);
    await untilGone("raced");
    expect(await left()).toEqual([]);
    expect(await namespaceStands("shop-raced")).toBe(false);
  });

  test("of changes of one environment at the same moment one goes first and the others wait; what is refused is not done", async () => {
    await create("changed", services);
    await untilStatus(slipway, "shop", "changed", "running");
    for (let round = 2; round < 2 + rounds; round++) {
      for (const name of services) await save("PUT", name, `${name}:${round}`);
      const answers = await Promise.all(services.map((name) => change("PUT", "changed", name)));
      for (const { status, text } of answers) expect([200, 409], text).toContain(status);
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      await untilStored(slipway, "changed", "success");
      for (const [at, name] of services.entries()) {
        const image = await imageOf("changed", name);
        if (answers[at]?.status === 200) expect(image).toBe(`${name}:${round}`);
        else expect(image).not.toBe(`${name}:${round}`);
      }
    }
    await remove("changed");
    await untilGone("changed");
  });

  test("a deletion at any moment of a creation leaves nothing, also where the namespace stays", async () => {
    const step = 300 / rounds;
    for (let round = 0; round < rounds; round++) {
      const envKey = `brief${round}`;
      const namespace = `shop-${envKey}`;
      const kept = round % 2 === 0;
      if (kept) await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const created = create(envKey, services);
      await later(round * step);
      const deleted = await remove(envKey);
      expect([200, 404]).toContain(deleted.status);
      const { status, json } = await created;
      if (status !== 200) expect({ status, code: json.code }).toEqual({ status: 400, code: 6074 });
      else if (deleted.status === 404) expect((await remove(envKey)).text).toBe(success);
      await untilGone(envKey);
      await waitFor(`nothing to be left of ${envKey}`, async () => (await left()).length === 0);
      await waitFor(`namespace ${namespace} to be as before`, async () => (await namespaceStands(namespace)) === kept);
    }
  });

  test("an addition at any moment of a deletion adds nothing that stays", async () => {
    const step = 80 / rounds;
    for (let round = 0; round < rounds; round++) {
      const envKey = `going${round}`;
      await create(envKey, ["web"]);
      await untilStored(slipway, envKey, "success");
      const deleted = remove(envKey);
      await later(round * step);
      const added = await change("POST", envKey, "late");
      if (added.status === 400) expect(added.json.code).toBe(6076);
      else expect([200, 404, 409]).toContain(added.status);
      expect((await deleted).text).toBe(success);
      await untilGone(envKey);
      await waitFor(`nothing to be left of ${envKey}`, async () => (await left()).length === 0);
      expect(await namespaceStands(`shop-${envKey}`)).toBe(false);
    }
  });

  test("a deletion at any moment of a sleep leaves nothing", async () => {
    const step = 200 / rounds;
    for (let round = 0; round < rounds; round++) {
      const envKey = `tired${round}`;
      await create(envKey, services);
      await untilStored(slipway, envKey, "success");
      const asleep = slipway.call("POST", `/openapi/environments/${envKey}/sleep?projectKey=shop`);
      await later(round * step);
      expect((await remove(envKey)).text).toBe(success);
      expect([200, 400, 404]).toContain((await asleep).status);
      await untilGone(envKey);
      await waitFor(`nothing to be left of ${envKey}`, async () => (await left()).length === 0);
      expect(await namespaceStands(`shop-${envKey}`)).toBe(false);
    }
  });

  test("a name can be used again at once, by a new environment that nothing of the old one reaches", async () => {
    for (let round = 0; round < rounds; round += 2) {
      await create("again", ["web"]);
      const deleted = await Promise.all([remove("again"), remove("again"), remove("again")]);
      expect(deleted.map(({ status }) => status).every((status) => status === 200 || status === 404)).toBe(true);
      await waitFor("the name to be free", async () => {
        const { status, json } = await create("again", ["web"]);
        if (status !== 200) expect(json.code).toBe(6074);
        return status === 200;
      });
      const detail = await untilStatus(slipway, "shop", "again", "running");
      expect(detail.services.map(({ service_name }) => service_name)).toEqual(["web"]);
      await remove("again");
      await untilGone("again");
    }
  });
}
