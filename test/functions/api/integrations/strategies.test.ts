import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { pendingCluster } from "../../../harness/pendingCluster.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { type RecordCalls, recordCalls, use } from "./recordCalls.ts";

interface Shown {
  id: string;
  name: string;
  default: boolean;
}

const arm = { name: "arm", strategy: "required", node_labels: ["kubernetes.io/arch=arm64", "disk:ssd"] };
const localCluster = "0123456789abcdef12345678";
const pathOf = (clusterId: string) => `/api/aslan/cluster/clusters/${clusterId}/strategy`;
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

/** Calls to the strategies of a cluster that nobody else uses. */
async function newCluster(name: string): Promise<RecordCalls<Shown> & { clusterId: string }> {
  const clusterId = await pendingCluster(name);
  return { ...recordCalls<Shown>(slipway, pathOf(clusterId), arm), clusterId };
}

describe("the strategies of a cluster", () => {
  test("begin with a default that asks for nothing", async () => {
    const { json } = await slipway.call("GET", pathOf(localCluster));
    const normal = { name: "normal", strategy: "normal", node_labels: [], tolerations: "", default: true };
    expect(json).toEqual([{ id: localCluster, ...normal }]);
  });

  test("are added, replaced by id or name, made the default and deleted, and outlive changes of the cluster", async () => {
    const { ask, list, path, clusterId } = await newCluster("walked");
    const made = await slipway.call<{ id: string }>("POST", path, { body: arm });
    const { id } = made.json;
    expect(made.json).toEqual({ message: "success", id: expect.stringMatching(/^[0-9a-f]{24}$/) });
    expect((await list())[0]).toEqual({ id, ...arm, tolerations: "", default: false });
    const tolerations = "- key: dedicated\r\n  operator: Equal\r\n  value: ci\r\n  effect: NoSchedule\r\n";
    const changed = { ...arm, strategy: "preferred", tolerations, default: true };
    expect((await ask("PUT", path, changed)).json).toEqual({ message: "success", id });
    expect(await list()).toMatchObject([
      { id, ...changed },
      { name: "normal", default: false },
    ]);
    expect((await ask("PUT", path, { ...changed, id, name: "zzz", default: false })).json).toMatchObject({ id });
    expect(await list()).toMatchObject([
      { name: "normal", default: false },
      { id, name: "zzz", default: true },
    ]);
    const added = await ask("PUT", path, { name: "plain", strategy: "normal" });
    expect(added.status).toBe(200);
    const other = { body: { description: "changed" } };
    expect((await slipway.call("PUT", `/openapi/system/cluster/${clusterId}`, other)).status).toBe(200);
    expect((await list()).map(({ name }) => name)).toEqual(["normal", "plain", "zzz"]);
    expect((await ask("DELETE", `${path}/${id}`)).json).toMatchObject({
      code: 6645,
      description: "zzz is the default; set another one as the default first",
    });
    for (let times = 0; times < 2; times++)
      expect((await ask("DELETE", `${path}/${clusterId}`)).json).toEqual({ message: "success" });
    expect((await list()).map(({ name }) => name)).toEqual(["plain", "zzz"]);
  });

  test("have names of their own and one default, also when 10 are added at once", async () => {
    const { ask, list, path } = await newCluster("raced");
    const wanted = Array.from({ length: 10 }, (_, at) => ({ ...arm, name: `n${at % 5}`, default: true }));
    const answers = await Promise.all(wanted.map((body) => ask("POST", path, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 400, 400, 400, 400, 400]);
    const found = await list();
    expect(found.map(({ name }) => name)).toEqual(["n0", "n1", "n2", "n3", "n4", "normal"]);
    expect(found.filter((one) => one.default)).toHaveLength(1);
    const [first, second] = found;
    const renamed = { ...arm, id: first?.id, name: second?.name };
    expect((await ask("PUT", path, renamed)).json.description).toContain("is the name of another strategy");
  });

  test("of one cluster are at most 16 KB", async () => {
    const { ask, list, path } = await newCluster("full");
    const body = { ...arm, tolerations: `${"#".repeat(79)}\n`.repeat(50) };
    const statuses: number[] = [];
    for (let at = 0; at < 5; at++) statuses.push((await ask("POST", path, { ...body, name: `big-${at}` })).status);
    expect(statuses).toEqual([200, 200, 200, 400, 400]);
    expect(await list()).toHaveLength(4);
  });

  test("that are used are not deleted", async () => {
    const { ask, list, path, clusterId } = await newCluster("used");
    await ask("POST", path, arm);
    await ask("POST", path, { ...arm, name: "free" });
    const [used, free] = await list();
    const record = { key: keys.cluster(clusterId), part: used?.id ?? "" };
    await use(record, { kind: "build", projectKey: "shop", name: "web" });
    expect((await ask("DELETE", `${path}/${used?.id}`)).json).toMatchObject({
      code: 6645,
      description: expect.stringContaining("the strategy arm is used by build web of project shop"),
    });
    expect((await ask("DELETE", `${path}/${free?.id}`)).status).toBe(200);
  });

  test("of a cluster that is not there are 404, and deleting one there is not is no error", async () => {
    const path = pathOf("f".repeat(24));
    for (const [method, body] of [["GET"], ["POST", arm], ["PUT", arm]] as const)
      expect((await slipway.call(method, path, { body })).json).toMatchObject({ code: 404 });
    expect((await slipway.call("DELETE", `${path}/${"f".repeat(24)}`)).status).toBe(200);
    const unknown = { body: { ...arm, id: "f".repeat(24) } };
    expect((await slipway.call("PUT", pathOf(localCluster), unknown)).json).toMatchObject({ code: 404 });
  });
});

describe("a strategy", () => {
  const path = pathOf(localCluster);
  const calls = () => recordCalls<Shown>(slipway, path, arm);

  test("without its fields is refused, all named at once", async () => {
    for (const method of ["POST", "PUT"]) expect(await calls().problemsOf({}, method)).toEqual(["name", "strategy"]);
  });

  test.each([
    ["name", "", "name"],
    ["name", "a/b", "name"],
    ["name", "normal", "name"],
    ["strategy", "always", "strategy"],
    ["node_labels", [], "node_labels"],
    ["node_labels", "a=b", "node_labels"],
    ["node_labels", ["plain"], "node_labels[0]"],
    ["node_labels", ["a=b", "-x=y"], "node_labels[1]"],
    ["node_labels", ["a=b c"], "node_labels[0]"],
    ["node_labels", Array.from({ length: 21 }, (_, at) => `a${at}=b`), "node_labels"],
    ["tolerations", 7, "tolerations"],
    ["tolerations", "a: b", "tolerations"],
    ["tolerations", "- [", "tolerations"],
    ["tolerations", "- key: a\n---\n- key: b", "tolerations"],
    ["tolerations", "- key: a b", "tolerations"],
    ["tolerations", "- operator: Equal", "tolerations"],
    ["tolerations", "- { key: a, operator: Exists, value: b }", "tolerations"],
    ["tolerations", "- { key: a, effect: Never }", "tolerations"],
    ["tolerations", "- { key: a, tolerationSeconds: 3 }", "tolerations"],
    ["tolerations", "- { key: a, value: 1 }", "tolerations"],
    ["tolerations", "- { key: a, more: 1 }", "tolerations"],
    ["tolerations", "#".repeat(4097), "tolerations"],
    ["default", "yes", "default"],
  ])("with %s %j is refused", async (field, value, named) => {
    expect(await calls().problemsOf({ ...arm, [field]: value })).toEqual([named]);
    expect(await calls().list()).toHaveLength(1);
  });

  test("called normal asks for no nodes", async () => {
    expect(await calls().problemsOf({ ...arm, strategy: "normal" })).toEqual(["node_labels"]);
  });

  test.each(["", "# nothing\n", "[]", "- operator: Exists\n", "- { key: a, effect: NoExecute, tolerationSeconds: 3 }"])(
    "with tolerations %j is taken as sent",
    async (tolerations) => {
      const made = await slipway.call<{ id: string }>("POST", path, { body: { ...arm, tolerations } });
      expect(made.status, made.text).toBe(200);
      expect(await calls().list()).toContainEqual({ ...arm, id: made.json.id, tolerations, default: false });
      await slipway.call("DELETE", `${path}/${made.json.id}`);
    },
  );
});
