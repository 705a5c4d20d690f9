import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pendingCluster } from "../../../harness/pendingCluster.ts";
import { type ClusterCalls, localId, type Refusal, type Shown, startForClusters } from "./clusterCalls.ts";

let slipway: ClusterCalls;

beforeAll(async () => {
  slipway = await startForClusters();
});

afterAll(() => slipway.close());

describe("registering a cluster", () => {
  test("the cluster of the machine is there from the start", async () => {
    expect(await slipway.list()).toEqual([
      {
        cluster_id: localId,
        name: "local",
        production: true,
        description: "",
        provider: 0,
        provider_name: "Standard Kubernetes",
        created_by: "system",
        created_time: expect.any(Number),
        local: true,
        status: "normal",
        type: "kubeconfig",
        project_names: ["<all_projects>"],
      },
    ]);
  });

  test("a cluster that answers is stored with what was sent and is normal", async () => {
    const answer = await slipway.post<{ cluster: Shown; agent_cmd: string }>({
      name: " staging-1 ",
      type: "kubeconfig",
      kube_config: slipway.sandbox,
      production: true,
      provider: 6,
      description: "the staging cluster",
      project_names: ["shop", "shop", "pay"],
    });
    expect(answer.json).toEqual({
      cluster: {
        cluster_id: expect.stringMatching(/^[0-9a-f]{24}$/),
        name: "staging-1",
        production: true,
        description: "the staging cluster",
        provider: 6,
        provider_name: "Google GKE",
        created_by: "admin(openAPI)",
        created_time: expect.any(Number),
        local: false,
        status: "normal",
        type: "kubeconfig",
        project_names: ["shop", "pay"],
      },
      agent_cmd: "",
    });
    expect(await slipway.named("staging-1")).toEqual(answer.json.cluster);
  });

  test.each([{}, { kube_config: "apiVersion: v1" }])("agents are not offered: %j", async (more) => {
    const { code, description } = await slipway.refused({ name: "edge", type: "agent", ...more });
    expect([code, description]).toEqual([6641, "agents are not offered; use a kubeconfig or EKS"]);
  });

  test("the cluster of an agent that was registered once stays pending", async () => {
    const id = await pendingCluster("edge");
    expect(await slipway.named("edge")).toMatchObject({ cluster_id: id, type: "agent", status: "pending" });
    const check = await slipway.istio(id);
    expect(check.json).toMatchObject({ code: 6403, description: expect.stringContaining("edge waits for its agent") });
  });

  test("all problems of a cluster are told at once, each with its field", async () => {
    const { extra } = await slipway.refused({
      name: "no_underscores",
      type: "vm",
      kube_config: 7,
      production: "yes",
      provider: 8,
      project_names: ["UPPER"],
    });
    expect(extra.problems?.map((problem) => problem.path).sort()).toEqual([
      "kube_config",
      "name",
      "production",
      "project_names[0]",
      "provider",
      "type",
    ]);
  });

  test.each(["", "a b", "ä", "a/b", "../up", "x".repeat(101), "__proto__"])("the name %j is refused", async (name) => {
    const { code, description } = await slipway.refused({ name, type: "agent" });
    expect([code, description]).toEqual([400, expect.stringContaining("The cluster name does not meet the rules")]);
  });

  test.each([
    [{ type: "kubeconfig" }, "kube_config"],
    [{ type: "kubeconfig", kube_config: "" }, "kube_config"],
    [{ name: undefined, type: "agent" }, "name"],
    [{}, "type"],
  ])("what is missing or does not belong is named: %j", async (body, field) => {
    expect((await slipway.refused({ name: "incomplete", ...body })).extra.problems?.[0]?.path).toBe(field);
  });

  test.each([
    ["an empty body", ""],
    ["an array", "[]"],
    ["a text", '"x"'],
    ["no JSON", "{"],
  ])("%s is refused", async (_, body) => {
    const answer = await slipway.post<Refusal>(body);
    expect(answer.json).toMatchObject({ type: "error", code: 400, message: "Bad Request" });
  });

  test("a name that is taken is 6641, and of 20 parallel registrations one wins", async () => {
    await slipway.register("taken");
    expect(
      (await slipway.post({ name: "taken", type: "kubeconfig", kube_config: slipway.sandbox })).json,
    ).toMatchObject({
      code: 6641,
      message: "failed to create cluster",
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        slipway.post<Refusal>({ name: "raced", type: "kubeconfig", kube_config: slipway.sandbox }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ json }) => json.code === 6641)).toHaveLength(19);
    expect((await slipway.list()).filter(({ name }) => name === "raced")).toHaveLength(1);
  });
});
