import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { configMap, deployment, eventually, type Harness, startHarness } from "./harness.ts";
import { field } from "./rawClient.ts";

describe("lives and deaths in the sandbox", () => {
  let harness: Harness;
  const send: Harness["raw"]["send"] = (...call) => harness.raw.send(...call);
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.stop());

  const base = "/api/v1/namespaces/default";
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const items = async (path: string) => field(await send("GET", path), "items") as unknown[];

  it("refuses requests without the token with a Status body", async () => {
    const answer = await send("GET", "/api", undefined, { authorization: "Bearer wrong" });
    expect(answer).toMatchObject({ code: 401, body: { kind: "Status", reason: "Unauthorized", code: 401 } });
  });

  it("keeps the version of an object that is applied again unchanged, at any later time", async () => {
    const path = `${base}/configmaps/again`;
    // The server leaves out an empty `data`, so it is missing whenever it is applied.
    const apply = async (manager: string, body: unknown) => {
      vi.setSystemTime(Date.now() + 60_000);
      return field(await harness.raw.apply(path, manager, body), "metadata.resourceVersion");
    };
    const { data, ...bare } = configMap("again");
    const [first, second] = [
      { ...bare, data },
      { ...bare, metadata: { labels: { l: "1" } } },
    ];
    try {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
      const created = await apply("one", first);
      expect(await apply("one", first)).toBe(created);
      await apply("two", second);
      // The entry of the first moves behind the second's, once.
      const moved = await apply("one", first);
      expect([await apply("one", first), await apply("two", second)]).toEqual([moved, moved]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("rolls to a new template and keeps the old ReplicaSet for going back", async () => {
    await send("POST", deployments, deployment("roll", 3));
    await eventually(
      () => send("GET", `${deployments}/roll`),
      (a) => field(a, "status.readyReplicas") === 3,
    );
    await harness.raw.patch(`${deployments}/roll`, "strategic-merge-patch", {
      spec: { template: { spec: { containers: [{ name: "main", image: "nginx:2" }] } } },
    });
    const done = await eventually(
      () => send("GET", `${deployments}/roll`),
      (a) =>
        field(a, "status.observedGeneration") === 2 &&
        field(a, "status.updatedReplicas") === 3 &&
        field(a, "status.replicas") === 3,
    );
    expect(field(done, "metadata.annotations")).toMatchObject({ "deployment.kubernetes.io/revision": "2" });
    expect(await items("/apis/apps/v1/namespaces/default/replicasets?labelSelector=app=roll")).toHaveLength(2);
  });

  it("shows images that cannot be pulled and containers that crash", async () => {
    await send("POST", deployments, deployment("broken", 1, "shop/web:missing"));
    await send("POST", deployments, deployment("crashing", 1, "shop/web:crash"));
    const reason = (app: string) => async () => {
      const [pod] = await items(`${base}/pods?labelSelector=app=${app}`);
      return JSON.stringify(pod);
    };
    await eventually(reason("broken"), (text) => text?.includes("ImagePullBackOff") ?? false);
    await eventually(reason("crashing"), (text) => text?.includes("CrashLoopBackOff") ?? false);
  });

  it("takes dependents along in the background, before the owner in the foreground, and leaves orphans alone", async () => {
    for (const policy of ["Background", "Foreground", "Orphan"]) {
      const name = `gone-${policy.toLowerCase()}`;
      await send("POST", deployments, deployment(name, 1));
      await eventually(
        () => items(`${base}/pods?labelSelector=app=${name}`),
        (pods) => pods.length === 1,
      );
      await send("DELETE", `${deployments}/${name}?propagationPolicy=${policy}`);
      await eventually(
        () => send("GET", `${deployments}/${name}`),
        (answer) => answer.code === 404,
      );
      const sets = `/apis/apps/v1/namespaces/default/replicasets?labelSelector=app=${name}`;
      if (policy === "Orphan") {
        const [set] = await items(sets);
        expect(set).not.toHaveProperty("metadata.ownerReferences");
      } else
        await eventually(
          () => items(sets),
          (list) => list.length === 0,
        );
    }
  });

  it("empties a namespace, holds it for a finalizer, and then it is gone", async () => {
    await send("POST", "/api/v1/namespaces", { kind: "Namespace", metadata: { name: "short" } });
    const held = { ...configMap("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } };
    await send("POST", "/api/v1/namespaces/short/configmaps", held);
    await send("POST", "/apis/apps/v1/namespaces/short/deployments", deployment("web", 2));
    expect(field(await send("DELETE", "/api/v1/namespaces/short"), "status.phase")).toBe("Terminating");
    expect(await send("POST", "/api/v1/namespaces/short/configmaps", configMap("late"))).toMatchObject({ code: 403 });
    await eventually(
      () => items("/api/v1/namespaces/short/pods"),
      (pods) => pods.length === 0,
    );
    expect((await send("GET", "/api/v1/namespaces/short")).code).toBe(200);
    await harness.raw.patch("/api/v1/namespaces/short/configmaps/held", "merge-patch", {
      metadata: { finalizers: null },
    });
    await eventually(
      () => send("GET", "/api/v1/namespaces/short"),
      (answer) => answer.code === 404,
    );
  });

  it("pages through a list under the revision of its first page", async () => {
    for (let i = 0; i < 5; i++) await send("POST", `${base}/configmaps`, configMap(`page-${i}`, {}, { paged: "yes" }));
    const names: unknown[] = [];
    let token: unknown = "";
    do {
      const page = await send("GET", `${base}/configmaps?labelSelector=paged&limit=2&continue=${token}`);
      names.push(...(field(page, "items") as { metadata: { name: string } }[]).map((item) => item.metadata.name));
      token = field(page, "metadata.continue");
    } while (token);
    expect(names).toEqual(["page-0", "page-1", "page-2", "page-3", "page-4"]);
  });

  it("keeps Endpoints and an EndpointSlice of a Service's ready pods", async () => {
    await send("POST", `${base}/services`, {
      kind: "Service",
      metadata: { name: "web" },
      spec: { selector: { app: "served" }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    await send("POST", deployments, deployment("served", 2));
    const found = await eventually(
      () => send("GET", `${base}/endpoints/web`),
      (answer) => (field(answer, "subsets") as { addresses?: unknown[] }[] | undefined)?.[0]?.addresses?.length === 2,
    );
    expect(found.body).toMatchObject({ subsets: [{ ports: [{ port: 8080, protocol: "TCP" }] }] });
  });

  it("starts the pods of a StatefulSet in order, each with its claim bound", async () => {
    const { spec, ...rest } = deployment("db", 2) as { spec: object };
    const claim = {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    const body = { ...rest, kind: "StatefulSet", spec: { ...spec, serviceName: "db", volumeClaimTemplates: [claim] } };
    expect(await send("POST", "/apis/apps/v1/namespaces/default/statefulsets", body)).toMatchObject({ code: 201 });
    await eventually(
      () => send("GET", "/apis/apps/v1/namespaces/default/statefulsets/db"),
      (answer) => field(answer, "status.readyReplicas") === 2,
    );
    expect(field(await send("GET", `${base}/persistentvolumeclaims/data-db-1`), "status.phase")).toBe("Bound");
  });
});
