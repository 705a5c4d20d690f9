import * as fc from "fast-check";

/** A manifest of one service, what people do to its objects by hand, and how it is then updated. */
export interface AnyChange {
  objects: object[];
  byHand: { kind: "Deployment" | "StatefulSet" | "Job" | "Service" | "ConfigMap"; manager: string; body: object }[];
  reset: boolean;
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const managers = fc.constantFrom("kubectl-client-side-apply", "kubectl-set", "kubectl-edit", "some-controller");
const count = fc.integer({ min: 1, max: 3 });

const environment = fc.uniqueArray(
  fc.record({ name: fc.constantFrom("A", "B", "C"), value: fc.constantFrom("1", "2") }),
  {
    selector: ({ name }) => name,
    maxLength: 3,
  },
);

const podFields = fc.record({ image: fc.constantFrom("any:1", "any:2"), env: maybe(environment) });

const deployment = fc
  .record({
    pods: podFields,
    replicas: maybe(count),
    minReadySeconds: maybe(fc.constant(1)),
    // Once made, a Deployment refuses another selector.
    selects: fc.oneof({ weight: 19, arbitrary: fc.constant("any") }, { weight: 1, arbitrary: fc.constant("other") }),
    annotations: maybe(fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", "2"))),
  })
  .map(({ pods, replicas, minReadySeconds, selects, annotations }) => ({
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "any", annotations } },
    spec: {
      ...{ replicas, minReadySeconds, selector: { matchLabels: { app: selects } } },
      template: { metadata: { labels: { app: selects } }, spec: { containers: [{ name: "main", ...pods }] } },
    },
  }));

const values = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("1", "2"));
const map = values.map((data) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "any" }, data }));

const autoscaler = count.map((minReplicas) => ({
  ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name: "any" } },
  spec: {
    minReplicas: 1,
    maxReplicas: 4 + minReplicas,
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "any" },
  },
}));

const statefulSet = fc
  .record({
    pods: podFields,
    replicas: maybe(count),
    partition: maybe(fc.constant(1)),
    // As little as its selector can it be changed.
    serviceName: fc.oneof(
      { weight: 19, arbitrary: fc.constant("any") },
      { weight: 1, arbitrary: fc.constant("other") },
    ),
  })
  .map(({ pods, replicas, partition, serviceName }) => ({
    ...{ apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "any" } },
    spec: {
      ...{ replicas, serviceName, selector: { matchLabels: { app: "any-set" } } },
      ...(partition !== undefined && { updateStrategy: { rollingUpdate: { partition } } }),
      template: { metadata: { labels: { app: "any-set" } }, spec: { containers: [{ name: "main", ...pods }] } },
    },
  }));

const job = fc.record({ pods: podFields, parallelism: maybe(count) }).map(({ pods, parallelism }) => ({
  ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name: "any" } },
  spec: {
    parallelism,
    template: { spec: { restartPolicy: "Never", containers: [{ name: "main", command: ["true"], ...pods }] } },
  },
}));

const ports = fc
  .uniqueArray(fc.constantFrom(80, 8080), { minLength: 1 })
  .map((numbers) => numbers.map((port) => ({ name: `p${port}`, port })));
const service = fc
  .record({
    ports,
    // The address of a Service stays what it was made with.
    clusterIP: fc.oneof(
      { weight: 19, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant("None") },
    ),
    sessionAffinity: maybe(fc.constantFrom("None", "ClientIP")),
  })
  .map((spec) => ({
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: "any" } },
    spec: { ...spec, selector: { app: "any" } },
  }));

const unknownKind = fc.constant({ apiVersion: "absent.slipway.dev/v1", kind: "Absent", metadata: { name: "any" } });
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 19, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const edit = fc.oneof(
  fc.record({
    kind: fc.constant("Deployment" as const),
    manager: managers,
    body: fc
      .record({ replicas: maybe(count), minReadySeconds: maybe(fc.constant(2)), env: maybe(environment) })
      .map(({ env, ...spec }) => ({
        spec: { ...spec, ...(env && { template: { spec: { containers: [{ name: "main", env }] } } }) },
      })),
  }),
  fc.record({
    kind: fc.constant("StatefulSet" as const),
    manager: managers,
    body: fc.record({ replicas: maybe(count), minReadySeconds: maybe(fc.constant(1)) }).map((spec) => ({ spec })),
  }),
  fc.record({
    kind: fc.constant("Job" as const),
    manager: managers,
    body: count.map((parallelism) => ({ spec: { parallelism } })),
  }),
  fc.record({
    kind: fc.constant("Service" as const),
    manager: managers,
    body: fc
      .record({ sessionAffinity: maybe(fc.constant("ClientIP")), ports: maybe(ports) })
      .map((spec) => ({ metadata: { labels: { stray: "1" } }, spec })),
  }),
  fc.record({
    kind: fc.constant("ConfigMap" as const),
    manager: managers,
    body: values.map((data) => ({ data })),
  }),
);

export const anyChange: fc.Arbitrary<AnyChange> = fc
  .record({
    objects: fc.tuple(
      ...[deployment, maybe(map), maybe(autoscaler)],
      ...[maybe(statefulSet), maybe(job), maybe(service), rarely(unknownKind)],
    ),
    byHand: fc.array(edit, { maxLength: 3 }),
    reset: fc.boolean(),
  })
  .map(({ objects, ...rest }) => ({ objects: objects.filter((object) => object !== undefined), ...rest }));
