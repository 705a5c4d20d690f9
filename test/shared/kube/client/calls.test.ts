import { afterEach, describe, expect, it } from "vitest";
import { withCallBudget } from "../../../../shared/base/outbound/callBudget.ts";
import {
  ClusterAlreadyExists,
  ClusterAnswerUnreadable,
  ClusterBusy,
  ClusterConflict,
  type ClusterError,
  ClusterInvalid,
  ClusterKindUnknown,
  ClusterNotFound,
  ClusterRefused,
  ClusterUnreachable,
  NamespaceTerminating,
  RetryableClusterError,
} from "../../../../shared/kube/client/errors.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { configMap, type ScriptedAnswer, startApiServer, status } from "./apiServer.ts";

let server: Awaited<ReturnType<typeof startApiServer>>;
afterEach(() => server.close());

const ref = { apiVersion: "v1", kind: "ConfigMap", name: "a", namespace: "shop" };

describe("a call", () => {
  it.each<[string, ScriptedAnswer]>([
    ["429", { ...status(429, "TooManyRequests", "slow down"), headers: { "retry-after": "0" } }],
    ["500", status(500, "InternalError", "etcd")],
    ["503", status(503, "ServiceUnavailable", "starting")],
    ["a broken connection", { reset: true }],
  ])("is tried again after %s", async (_name, failure) => {
    server = await startApiServer((_request, _body, count) => (count < 3 ? failure : { body: configMap("a") }));
    expect((await server.client.get(ref)).metadata.name).toBe("a");
    expect(server.sent.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });

  it("waits as long as Retry-After says", async () => {
    server = await startApiServer((_request, _body, count) =>
      count === 1
        ? { ...status(429, "TooManyRequests", ""), headers: { "retry-after": "1" } }
        : { body: configMap("a") },
    );
    const started = performance.now();
    await server.client.get(ref);
    expect(performance.now() - started).toBeGreaterThan(990);
  });

  it.each<[number, ScriptedAnswer, new (...args: never[]) => ClusterError]>([
    [400, status(400, "BadRequest", "no"), ClusterInvalid],
    [401, status(401, "Unauthorized", "no"), ClusterRefused],
    [403, status(403, "Forbidden", "no"), ClusterRefused],
    [403, status(403, "Forbidden", "no", [{ reason: "NamespaceTerminating" }]), NamespaceTerminating],
    [404, status(404, "NotFound", "no"), ClusterNotFound],
    [409, status(409, "AlreadyExists", "no"), ClusterAlreadyExists],
    [409, status(409, "Conflict", "no"), ClusterConflict],
    [422, status(422, "Invalid", "no"), ClusterInvalid],
    [500, status(500, "", "failed to create typed patch object (x): .spec.y: field not declared"), ClusterInvalid],
    [302, { status: 302, headers: { location: "http://127.0.0.1:1/" } }, ClusterAnswerUnreadable],
  ])("that is answered %i is not tried again", async (_code, failure, type) => {
    server = await startApiServer(() => failure);
    const error = await server.client.get(ref).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ retryable: false });
    expect(server.sent).toHaveLength(1);
  });

  it("ends with a retryable error when the server stays busy", async () => {
    server = await startApiServer(() => status(503, "ServiceUnavailable", "down"));
    const error = await server.client.get(ref).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ClusterBusy);
    expect(error).toBeInstanceOf(RetryableClusterError);
  });

  it("ends at its deadline when nobody answers", async () => {
    server = await startApiServer(() => () => undefined);
    const error = await server.client.get(ref, { deadlineSeconds: 0.2 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ClusterUnreachable);
    expect(error).toMatchObject({ code: "ETIMEDOUT" });
  });

  it("ends at once when its caller gives up", async () => {
    const caller = new AbortController();
    server = await startApiServer(() => {
      caller.abort();
      return () => undefined;
    });
    await expect(server.client.get(ref, { signal: caller.signal })).rejects.toMatchObject({
      name: "ClusterCallAborted",
    });
  });

  it("says so when what answers is no Kubernetes", async () => {
    server = await startApiServer(() => (response) => response.end("<html>hello</html>"));
    await expect(server.client.version()).rejects.toBeInstanceOf(ClusterAnswerUnreadable);
  });

  it("never carries the token in its error", async () => {
    server = await startApiServer(() => status(403, "Forbidden", "no"));
    const error = await server.client.get(ref).catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("Bearer");
  });
});

describe("apply", () => {
  it("is a server-side apply of the platform's manager", async () => {
    server = await startApiServer((request, body) => ({
      status: 201,
      body: { ...JSON.parse(body), seen: [request.method, request.url, request.headers["content-type"]] },
    }));
    const { object, created } = await server.client.apply(configMap("a"), { force: true });
    expect(object.seen).toEqual([
      "PATCH",
      "/api/v1/namespaces/shop/configmaps/a?fieldManager=slipway&force=true&fieldValidation=Ignore",
      "application/apply-patch+yaml",
    ]);
    expect(created).toBe(true);
  });

  it("names manager and field of a conflict", async () => {
    server = await startApiServer(() =>
      status(409, "Conflict", "Apply failed with 1 conflict", [
        { reason: "FieldManagerConflict", message: 'conflict with "kubectl-edit" using v1 at t', field: ".data.a" },
      ]),
    );
    await expect(server.client.apply(configMap("a"))).rejects.toMatchObject({
      name: "ClusterConflict",
      fields: [{ manager: "kubectl-edit", field: ".data.a" }],
    });
  });
});

describe("create", () => {
  it("is not sent twice when the connection breaks, because it may have arrived", async () => {
    server = await startApiServer(() => ({ reset: true }));
    await expect(server.client.create(configMap("a"))).rejects.toBeInstanceOf(ClusterUnreachable);
    expect(server.sent).toHaveLength(1);
  });
});

describe("remove", () => {
  it("takes an object that is gone, or another one of the same name, as absent", async () => {
    server = await startApiServer((_request, body) =>
      body.includes("preconditions") ? status(409, "Conflict", "uid differs") : status(404, "NotFound", "gone"),
    );
    expect(await server.client.remove(ref)).toBe("absent");
    expect(await server.client.remove(ref, { uid: "1" })).toBe("absent");
  });

  it("tells that finalizers still hold the object", async () => {
    server = await startApiServer(() => ({ body: configMap("a", { deletionTimestamp: "now", finalizers: ["x"] }) }));
    expect(await server.client.remove(ref)).toBe("removing");
  });
});

describe("list", () => {
  const page = (names: string[], more?: string) => ({
    body: {
      metadata: { resourceVersion: "7", ...(more && { continue: more }) },
      items: names.map((name) => ({ metadata: { name } })),
    },
  });

  it("reads all pages and gives items their kind", async () => {
    server = await startApiServer((request) =>
      request.url?.includes("continue=") ? page(["b"]) : page(["a"], "next"),
    );
    const { items, resourceVersion } = await server.client.list({ apiVersion: "v1", kind: "ConfigMap" });
    expect(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(["ConfigMap a", "ConfigMap b"]);
    expect(resourceVersion).toBe("7");
  });

  it("starts again when its pages expired in between", async () => {
    let expired = false;
    server = await startApiServer((request) => {
      if (!request.url?.includes("continue=")) return page([expired ? "new" : "old"], "next");
      if (expired) return page(["last"]);
      expired = true;
      return status(410, "Expired", "continue token expired");
    });
    const { items } = await server.client.list({ apiVersion: "v1", kind: "ConfigMap" });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["new", "last"]);
  });
});

describe("discovery", () => {
  it("asks again for a kind it did not find, and only then", async () => {
    let installed = false;
    server = await startApiServer((request, body) => {
      if (request.url !== "/apis/shop.example/v1") return { body: JSON.parse(body) };
      const resources = [{ name: "carts", kind: "Cart", namespaced: true }];
      const later = [
        { name: "carts/status", kind: "Cart", namespaced: true },
        { name: "tills", kind: "Till", namespaced: false },
      ];
      return { body: { resources: installed ? [...resources, ...later] : resources } };
    });
    const till = { apiVersion: "shop.example/v1", kind: "Till", metadata: { name: "t", namespace: "ignored" } };
    await expect(server.client.apply(till)).rejects.toBeInstanceOf(ClusterKindUnknown);
    installed = true;
    await server.client.apply(till);
    await server.client.apply(till);
    await server.client.apply({ ...till, kind: "Cart" });
    expect(server.sent.map(({ verb, path }) => `${verb} ${path}`)).toEqual([
      "discover /apis/shop.example/v1",
      "discover /apis/shop.example/v1",
      "apply /apis/shop.example/v1/tills/t",
      "apply /apis/shop.example/v1/tills/t",
      "apply /apis/shop.example/v1/namespaces/ignored/carts/t",
    ]);
  });

  it("is shared by simultaneous callers, and one that gives up early does not end it for the others", async () => {
    let answer = () => {};
    server = await startApiServer(() => (response) => {
      const resources = [{ name: "carts", kind: "Cart", namespaced: true }];
      answer = () => response.end(JSON.stringify({ resources }));
    });
    const cart = { apiVersion: "shop.example/v1", kind: "Cart" };
    const hasty = [
      withCallBudget(0.05, () => server.client.resource(cart)),
      server.client.resource(cart, { deadlineSeconds: 0.05 }),
    ];
    const patient = server.client.resource(cart, { deadlineSeconds: 60 });
    for (const { reason } of (await Promise.allSettled(hasty)) as PromiseRejectedResult[]) {
      expect(reason).toBeInstanceOf(ClusterUnreachable);
      expect(reason.message).toBe("discover shop.example/v1: no answer before the deadline");
    }
    await waitFor("the question to arrive", async () => server.asked() === 1);
    answer();
    expect(await patient).toMatchObject({ plural: "carts" });
    expect(server.asked()).toBe(1);
  });
});
