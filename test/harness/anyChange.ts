import * as fc from "fast-check";

/** A manifest of one service, what people do to its objects by hand, and how it is then updated. */
export interface AnyChange {
  objects: object[];
  byHand: { kind: "Deployment" | "ConfigMap"; manager: string; body: object }[];
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
    selects: fc.oneof({ weight: 7, arbitrary: fc.constant("any") }, { weight: 1, arbitrary: fc.constant("other") }),
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

const unknownKind = fc.constant({ apiVersion: "absent.slipway.dev/v1", kind: "Absent", metadata: { name: "any" } });
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

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
    kind: fc.constant("ConfigMap" as const),
    manager: managers,
    body: values.map((data) => ({ data })),
  }),
);

export const anyChange: fc.Arbitrary<AnyChange> = fc
  .record({
    objects: fc.tuple(deployment, maybe(map), maybe(autoscaler), rarely(unknownKind)),
    byHand: fc.array(edit, { maxLength: 3 }),
    reset: fc.boolean(),
  })
  .map(({ objects, ...rest }) => ({ objects: objects.filter((object) => object !== undefined), ...rest }));
