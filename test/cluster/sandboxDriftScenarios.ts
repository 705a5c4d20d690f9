import { configMap, deployment } from "../infra/local/cluster/harness.ts";

export interface Step {
  method: string;
  /** `NAMESPACE` stands for the scenario's own. */
  path: string;
  body?: unknown;
  type?: string;
  /** Only code and reason are compared: the words of the message are those of a Go library. */
  loose?: boolean;
  codeOnly?: boolean;
  /** Asked again until the answer has this code. */
  until?: number;
}

export interface Scenario {
  name: string;
  steps: Step[];
}

const core = "/api/v1/namespaces/NAMESPACE";
const apps = "/apis/apps/v1/namespaces/NAMESPACE";
const batch = "/apis/batch/v1/namespaces/NAMESPACE";

const get = (path: string): Step => ({ method: "GET", path });
const post = (path: string, body: unknown): Step => ({ method: "POST", path, body });
const put = (path: string, body: unknown): Step => ({ method: "PUT", path, body });
const remove = (path: string, body?: unknown): Step => ({ method: "DELETE", path, body });
const merge = (path: string, body: unknown): Step => ({
  method: "PATCH",
  path,
  body,
  type: "application/merge-patch+json",
});
const json = (path: string, body: unknown): Step => ({
  method: "PATCH",
  path,
  body,
  type: "application/json-patch+json",
});
const strategic = (path: string, body: unknown): Step => ({
  method: "PATCH",
  path,
  body,
  type: "application/strategic-merge-patch+json",
});
const apply = (path: string, manager: string, body: unknown, query = ""): Step => ({
  method: "PATCH",
  path: `${path}?fieldManager=${manager}${query}`,
  body,
  type: "application/apply-patch+yaml",
});

const loosely = (step: Step): Step => ({ ...step, loose: true });

const map = `${core}/configmaps`;
const secrets = `${core}/secrets`;
const deployments = `${apps}/deployments`;
const secret = (name: string) => ({ apiVersion: "v1", kind: "Secret", metadata: { name } });

function container(name: string, more: object = {}) {
  return { name, image: "nginx:1", ...more };
}

function rich(name: string, more: object = {}) {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels: { app: name }, annotations: { note: "x" } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            container("main", {
              env: [
                { name: "A", value: "1" },
                { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
              ],
              ports: [{ containerPort: 80 }, { containerPort: 443, name: "https" }],
              resources: { requests: { cpu: "1000m", memory: "1024Mi" }, limits: { cpu: 2 } },
              readinessProbe: { httpGet: { port: 80 } },
              volumeMounts: [
                { name: "data", mountPath: "/data" },
                { name: "cfg", mountPath: "/cfg", readOnly: true },
              ],
            }),
            container("side", { command: ["sleep", "1"] }),
          ],
          volumes: [
            { name: "data", emptyDir: {} },
            { name: "cfg", configMap: { name: "some" } },
          ],
          ...more,
        },
      },
    },
  };
}

function job(name: string) {
  const template = { spec: { restartPolicy: "Never", containers: [container("main", { command: ["true"] })] } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { suspend: true, template } };
}

const service = (name: string, spec: object) => ({ apiVersion: "v1", kind: "Service", metadata: { name }, spec });

const widgets = "/apis/NAMESPACE.example.com/v1/namespaces/NAMESPACE/widgets";
const part = {
  type: "object",
  properties: { name: { type: "string" }, count: { type: "integer", default: 7 } },
  required: ["name"],
};
const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 0 },
        color: { type: "string", default: "red" },
        parts: { type: "array", items: part, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      },
    },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.NAMESPACE.example.com" },
  spec: {
    group: "NAMESPACE.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      { name: "v1", served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: schema } },
    ],
  },
};

export const scenarios: Scenario[] = [
  {
    name: "objects that are missing, doubled or misnamed",
    steps: [
      get(`${map}/none`),
      remove(`${map}/none`),
      post(map, configMap("one", { a: "1" })),
      post(map, configMap("one", { a: "1" })),
      get(`${map}/one`),
      put(`${map}/other`, configMap("one")),
      put(`${map}/none`, configMap("none")),
      merge(`${map}/none`, { data: { a: "2" } }),
      post("/api/v1/namespaces/not-there/configmaps", configMap("one")),
      post(map, { ...configMap("ns"), metadata: { name: "ns", namespace: "elsewhere" } }),
      post(map, configMap("Not_A_Name")),
      post(map, { ...configMap("x"), metadata: {} }),
      post(map, { ...configMap("x"), metadata: { name: "x", resourceVersion: "1" } }),
      post(map, { ...configMap("labels"), metadata: { name: "labels", labels: { "bad key": "x", ok: "bad value!" } } }),
      get("/api/v1/namespaces/NAMESPACE/nothings"),
      get("/apis/apps/v7/deployments"),
      get("/nowhere"),
      remove(`${map}/one`),
    ],
  },
  {
    name: "bodies that do not fit",
    steps: [
      loosely(post(map, { ...configMap("x"), kind: "Secret" })),
      loosely(post(map, { ...configMap("x"), apiVersion: "apps/v1" })),
      loosely(post(map, "{")),
      post(deployments, { ...deployment("x"), spec: { replicas: "3" } }),
      post(deployments, { ...deployment("x"), spec: { paused: "yes" } }),
      post(deployments, { ...deployment("x"), spec: { template: { spec: { containers: {} } } } }),
      post(`${deployments}?fieldValidation=Strict`, {
        ...deployment("x"),
        spec: { replica: 3, template: { spec: { containers: [{ nam: 1 }] } } },
      }),
      apply(`${deployments}/x`, "one", { ...deployment("x"), spec: { replica: 3 } }),
      apply(`${deployments}/x`, "one", { ...deployment("x"), spec: { replicas: "3" } }),
      { ...apply(`${map}/x`, "one", configMap("x")), path: `${map}/x` },
      loosely({ method: "PATCH", path: `${map}/x`, body: {}, type: "application/json" }),
      apply(`${map}/x`, "one", { ...configMap("x"), metadata: { name: "y" } }),
      apply(`${map}/x`, "one", { metadata: { name: "x" } }),
      apply(`${map}/x`, "one", { ...configMap("x"), metadata: { name: "x", managedFields: [{ manager: "a" }] } }),
    ],
  },
  {
    name: "Secrets that do not fit",
    steps: [
      ...[
        { stringData: { a: 1, b: true } },
        { stringData: { a: { b: "c", d: [1, null] } } },
        { data: { a: ["b"] } },
        { stringData: "a" },
        { stringData: ["a", { b: 1 }] },
        { immutable: "a" },
      ].map((more) => apply(`${secrets}/x`, "one", { ...secret("x"), ...more })),
      post(secrets, secret("x")),
      strategic(`${secrets}/x`, { data: { a: "no base64!" }, stringData: { c: "d" } }),
      // The message holds the object, with the version that it has.
      loosely(merge(`${secrets}/x`, { stringData: { a: 1 } })),
      loosely(json(`${secrets}/x`, [{ op: "add", path: "/data", value: { a: "no base64!" } }])),
    ],
  },
  {
    name: "defaults and owners of a created Deployment",
    steps: [
      post(deployments, deployment("plain", 0)),
      post(deployments, rich("rich")),
      get(`${deployments}/rich`),
      put(`${deployments}/plain`, deployment("plain", 1)),
      put(`${deployments}/plain`, deployment("plain", 1, "nginx:2")),
    ],
  },
  {
    name: "invalid Deployments",
    steps: [
      post(deployments, { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "empty" } }),
      post(deployments, {
        ...deployment("x"),
        spec: {
          selector: { matchLabels: { app: "a" } },
          template: { metadata: { labels: { app: "b" } }, spec: { containers: [container("main")] } },
        },
      }),
      post(deployments, rich("twins", { containers: [container("main"), container("main")] })),
      post(deployments, rich("noimage", { containers: [{ name: "main" }] })),
      post(
        deployments,
        rich("mounts", {
          volumes: [
            { name: "data", emptyDir: {} },
            { name: "data", emptyDir: {} },
          ],
        }),
      ),
      post(deployments, rich("restart", { restartPolicy: "Never" })),
      post(
        deployments,
        rich("ports", {
          containers: [
            container("main", { ports: [{ containerPort: 0 }, { containerPort: 70000, name: "Bad_Name" }] }),
          ],
          volumes: [],
        }),
      ),
      post(deployments, { ...deployment("neg", -1) }),
      post(deployments, deployment("fixed", 0)),
      merge(`${deployments}/fixed`, {
        spec: { selector: { matchLabels: { app: "other" } }, template: { metadata: { labels: { app: "other" } } } },
      }),
      merge(`${deployments}/fixed`, { spec: { strategy: { type: "Sometimes" } } }),
      merge(`${deployments}/fixed`, { spec: { strategy: { type: "Recreate" } } }),
      merge(`${deployments}/fixed`, { spec: { strategy: { type: "Recreate", rollingUpdate: null } } }),
    ],
  },
  {
    name: "patches of all kinds",
    steps: [
      post(deployments, rich("p")),
      strategic(`${deployments}/p`, {
        spec: {
          template: {
            spec: {
              containers: [
                { name: "side", image: "busybox:2" },
                { name: "third", image: "x" },
              ],
            },
          },
        },
      }),
      strategic(`${deployments}/p`, {
        spec: { template: { spec: { containers: [{ name: "side", $patch: "delete" }] } } },
      }),
      strategic(`${deployments}/p`, {
        spec: {
          template: {
            spec: { volumes: [{ name: "data", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x" } }] },
          },
        },
      }),
      strategic(`${deployments}/p`, {
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: "main",
                  env: [
                    { name: "A", value: "2" },
                    { name: "C", value: "3" },
                  ],
                  ports: [{ containerPort: 81 }],
                },
              ],
            },
          },
        },
      }),
      strategic(`${deployments}/p`, {
        spec: {
          template: {
            spec: {
              "$setElementOrder/containers": [{ name: "third" }, { name: "main" }],
              containers: [{ name: "third", image: "y" }],
            },
          },
        },
      }),
      strategic(`${deployments}/p`, { metadata: { labels: { app: null, more: "1" } } }),
      merge(`${deployments}/p`, { metadata: { annotations: null }, spec: { replicas: null } }),
      json(`${deployments}/p`, [
        { op: "replace", path: "/spec/replicas", value: 0 },
        { op: "add", path: "/metadata/labels/a~1b", value: "c" },
      ]),
      json(`${deployments}/p`, [{ op: "test", path: "/spec/replicas", value: 7 }]),
      json(`${deployments}/p`, [{ op: "remove", path: "/spec/nothing" }]),
      json(`${deployments}/p`, { op: "remove" }),
      merge(`${deployments}/p`, { metadata: { resourceVersion: "1" } }),
      merge(`${deployments}/p`, { metadata: { name: "q" } }),
      loosely(merge(`${deployments}/p`, { metadata: { uid: "other" } })),
    ],
  },
  {
    name: "server-side apply: owners, conflicts, removal",
    steps: [
      apply(`${deployments}/s`, "one", rich("s")),
      apply(`${deployments}/s`, "one", rich("s")),
      apply(`${deployments}/s`, "two", deployment("s", 2, "nginx:2")),
      apply(`${deployments}/s`, "two", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "s" },
        spec: { replicas: 3 },
      }),
      apply(
        `${deployments}/s`,
        "two",
        { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "s" }, spec: { replicas: 3 } },
        "&force=true",
      ),
      apply(`${deployments}/s`, "one", rich("s")),
      apply(`${deployments}/s`, "two", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "s", labels: { two: "2" } },
      }),
      merge(`${deployments}/s`, { spec: { replicas: 0 } }),
      apply(`${deployments}/s`, "one", { ...rich("s"), metadata: { name: "s" } }),
      apply(`${deployments}/s`, "one", rich("s", { containers: [container("main")], volumes: [] }), "&force=true"),
      apply(
        `${deployments}/s`,
        "one",
        rich("s", { containers: [container("main", { image: "z" }), container("new")], volumes: [] }),
        "&force=true&dryRun=All",
      ),
      get(`${deployments}/s`),
    ],
  },
  {
    name: "server-side apply over what another client made",
    steps: [
      post(map, configMap("c", { a: "1", b: "2" }, { x: "y" })),
      apply(`${map}/c`, "one", configMap("c", { a: "1" })),
      apply(`${map}/c`, "one", configMap("c", { a: "2" })),
      apply(`${map}/c`, "one", configMap("c", { a: "2" }), "&force=true"),
      apply(`${map}/c`, "one", configMap("c", {})),
      apply(`${map}/c`, "two", configMap("c", { b: "2", c: "3" })),
      merge(`${map}/c`, { data: { c: "4" } }),
      apply(`${map}/c`, "two", configMap("c", { b: "3", c: "3" })),
      put(`${map}/c`, configMap("c", { z: "1" })),
      apply(`${map}/c`, "two", configMap("c", {})),
      merge(`${map}/c`, { metadata: { managedFields: [{}] } }),
      apply(`${map}/new`, "one", configMap("new", { a: "1" }), "&dryRun=All"),
      get(`${map}/new`),
    ],
  },
  {
    name: "services",
    steps: [
      post(`${core}/services`, service("a", { selector: { app: "a" }, ports: [{ port: 80 }] })),
      apply(
        `${core}/services/b`,
        "one",
        service("b", {
          type: "NodePort",
          ports: [
            { port: 80, name: "http", targetPort: "web" },
            { port: 81, name: "more", protocol: "UDP" },
          ],
        }),
      ),
      apply(
        `${core}/services/b`,
        "one",
        service("b", { type: "ClusterIP", ports: [{ port: 80, name: "http", targetPort: 8080 }] }),
      ),
      post(`${core}/services`, service("c", { clusterIP: "None", selector: { app: "c" }, ports: [{ port: 80 }] })),
      post(`${core}/services`, service("d", { ports: [{ port: 80 }, { port: 80 }] })),
      post(`${core}/services`, service("e", {})),
      post(`${core}/services`, service("f", { type: "ExternalName", externalName: "example.com" })),
      post(`${core}/services`, service("g", { ports: [{ port: 99999 }] })),
      post(`${core}/services`, service("1bad", { ports: [{ port: 9 }] })),
      post(`${core}/services`, service("h", { type: "LoadBalancer", ports: [{ port: 80 }] })),
    ],
  },
  {
    name: "other built-in kinds as they are created",
    steps: [
      post(`${core}/secrets`, { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { a: "b" } }),
      post(`${core}/secrets`, { apiVersion: "v1", kind: "Secret", metadata: { name: "bad" }, data: { a: "%" } }),
      post(`${core}/secrets`, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "keys" },
        data: { "a b": "YQ==" },
      }),
      post(`${core}/serviceaccounts`, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "s" } }),
      post(`${batch}/jobs`, job("j")),
      merge(`${batch}/jobs/j`, {
        spec: { template: { spec: { containers: [container("main", { image: "other" })] } } },
      }),
      post(`${batch}/jobs`, { ...job("bad"), spec: { template: { spec: { containers: [container("main")] } } } }),
      post(`${batch}/cronjobs`, {
        apiVersion: "batch/v1",
        kind: "CronJob",
        metadata: { name: "c" },
        spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template: job("x").spec.template } } },
      }),
      post(`${batch}/cronjobs`, {
        apiVersion: "batch/v1",
        kind: "CronJob",
        metadata: { name: "d" },
        spec: { schedule: "often", jobTemplate: { spec: { template: job("x").spec.template } } },
      }),
      post(`${apps}/statefulsets`, {
        ...rich("st"),
        kind: "StatefulSet",
        spec: {
          ...rich("st").spec,
          serviceName: "x",
          volumeClaimTemplates: [
            {
              metadata: { name: "data" },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          ],
        },
      }),
      merge(`${apps}/statefulsets/st`, { spec: { serviceName: "y" } }),
      post(`${apps}/daemonsets`, {
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "d" },
        spec: {
          selector: { matchLabels: { app: "d" } },
          template: {
            metadata: { labels: { app: "d" } },
            spec: { nodeSelector: { no: "where" }, containers: [container("main")] },
          },
        },
      }),
      post("/apis/networking.k8s.io/v1/namespaces/NAMESPACE/ingresses", {
        apiVersion: "networking.k8s.io/v1",
        kind: "Ingress",
        metadata: { name: "i" },
        spec: {
          rules: [
            {
              host: "a.b",
              http: {
                paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }],
              },
            },
          ],
        },
      }),
      post("/apis/networking.k8s.io/v1/namespaces/NAMESPACE/networkpolicies", {
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        metadata: { name: "n" },
        spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
      }),
      post("/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles", {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: "r" },
        rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
      }),
      post("/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings", {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: "r" },
        roleRef: { kind: "Role", name: "r" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "ServiceAccount", name: "s", namespace: "n" },
        ],
      }),
      post("/apis/policy/v1/namespaces/NAMESPACE/poddisruptionbudgets", {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "p" },
        spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } },
      }),
      post("/apis/autoscaling/v2/namespaces/NAMESPACE/horizontalpodautoscalers", {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: "h" },
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" } },
      }),
      post(`${core}/pods`, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p" },
        spec: {
          automountServiceAccountToken: false,
          nodeSelector: { no: "where" },
          containers: [container("main", { resources: { limits: { cpu: "0.5" } } })],
        },
      }),
      post(`${core}/pods`, { apiVersion: "v1", kind: "Pod", metadata: { name: "bad" }, spec: { containers: [] } }),
    ],
  },
  {
    name: "scale, status and versions",
    steps: [
      post(deployments, deployment("d", 0)),
      get(`${deployments}/d/scale`),
      merge(`${deployments}/d/scale`, { spec: { replicas: 0 } }),
      merge(`${deployments}/d/scale`, { spec: { replicas: -1 } }),
      post(map, configMap("v", { a: "1" })),
      put(`${map}/v`, { ...configMap("v", { a: "2" }), metadata: { name: "v", resourceVersion: "1" } }),
      remove(`${map}/v`, { preconditions: { uid: "other" } }),
      remove(`${map}/v`, { preconditions: { resourceVersion: "1" } }),
      remove(`${map}/v?dryRun=All`),
      merge(`${map}/v`, { metadata: { finalizers: ["example.com/hold"] } }),
      remove(`${map}/v`),
      merge(`${map}/v`, { data: { a: "3" } }),
      merge(`${map}/v`, { metadata: { finalizers: null } }),
      get(`${map}/v`),
    ],
  },
  {
    name: "lists and selectors",
    steps: [
      post(map, configMap("a", {}, { tier: "web", n: "1" })),
      post(map, configMap("b", {}, { tier: "db" })),
      get(`${map}?labelSelector=tier`),
      get(`${map}?labelSelector=tier%20in%20(web,x),n`),
      get(`${map}?labelSelector=tier!=web,tier`),
      get(`${map}?labelSelector=tier%20notin%20(web),tier`),
      get(`${map}?labelSelector=!tier,a`),
      loosely(get(`${map}?labelSelector=bad%20key%20x`)),
      get(`${map}?fieldSelector=metadata.name=a`),
      get(`${map}?fieldSelector=data.x=a`),
      get(`${map}?labelSelector=tier&limit=x`),
      { method: "DELETE", path: `${map}?labelSelector=tier=web` },
      get(`${map}?labelSelector=tier`),
      { method: "POST", path: `${map}/a`, body: {} },
      { method: "PATCH", path: map, body: {}, type: "application/merge-patch+json" },
    ],
  },
  {
    name: "a namespace that goes away",
    steps: [
      post(map, { ...configMap("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } }),
      remove("/api/v1/namespaces/NAMESPACE"),
      post(map, configMap("late")),
      apply(`${map}/late`, "one", configMap("late")),
      loosely(merge(`${map}/held`, { metadata: { finalizers: null } })),
    ],
  },
  {
    name: "custom kinds",
    steps: [
      post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition),
      loosely({ ...get(widgets), until: 200 }),
      post(widgets, {
        apiVersion: "NAMESPACE.example.com/v1",
        kind: "Widget",
        metadata: { name: "w" },
        spec: { size: 3, extra: true },
      }),
      post(widgets, { apiVersion: "NAMESPACE.example.com/v1", kind: "Widget", metadata: { name: "none" }, spec: {} }),
      post(widgets, {
        apiVersion: "NAMESPACE.example.com/v1",
        kind: "Widget",
        metadata: { name: "bad" },
        spec: { size: "x" },
      }),
      post(widgets, {
        apiVersion: "NAMESPACE.example.com/v1",
        kind: "Widget",
        metadata: { name: "low" },
        spec: { size: -1 },
      }),
      apply(`${widgets}/w`, "one", {
        apiVersion: "NAMESPACE.example.com/v1",
        kind: "Widget",
        metadata: { name: "w" },
        spec: { parts: [{ name: "a", count: 1 }, { name: "b" }] },
      }),
      apply(`${widgets}/w`, "two", {
        apiVersion: "NAMESPACE.example.com/v1",
        kind: "Widget",
        metadata: { name: "w" },
        spec: { parts: [{ name: "a", count: 2 }] },
      }),
      apply(`${widgets}/w`, "one", {
        apiVersion: "NAMESPACE.example.com/v1",
        kind: "Widget",
        metadata: { name: "w" },
        spec: { parts: [{ name: "b" }] },
      }),
      merge(`${widgets}/w/status`, { status: { ready: true }, spec: { size: 9 } }),
      strategic(`${widgets}/w`, { spec: { size: 4 } }),
      merge(`${widgets}/w`, { spec: { size: 4 }, status: { ready: false } }),
      get(`${widgets}?labelSelector=x`),
      remove("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.NAMESPACE.example.com"),
      { ...get(`${widgets}/w`), until: 404, codeOnly: true },
    ],
  },
  {
    name: "checks what is asked of a log",
    steps: [
      loosely(
        post(`${core}/pods`, {
          kind: "Pod",
          metadata: { name: "two" },
          spec: { initContainers: [container("first")], containers: [container("a"), container("b")] },
        }),
      ),
      { ...get(`${core}/pods/two/log?container=a&tailLines=1`), until: 200, codeOnly: true },
      ...[
        "",
        "?container=nope",
        "?container=a&tailLines=-1",
        "?container=a&tailLines=%2B1&limitBytes=0",
        "?container=a&tailLines=many",
        "?container=a&tailLines=99999999999999999999",
        "?container=a&sinceSeconds=",
        "?container=a&sinceSeconds=1.5",
        "?container=a&sinceSeconds=0",
        "?container=a&sinceSeconds=5&sinceTime=2026-01-01T00:00:00Z",
        "?tailLines=-1&limitBytes=0&sinceSeconds=-1",
      ].map((query) => get(`${core}/pods/two/log${query}`)),
      loosely(get(`${core}/pods/two/log?container=a&sinceTime=yesterday`)),
      get(`${core}/pods/none/log`),
      get(`${core}/pods/none/log?tailLines=-1`),
      { ...get(`${core}/pods/two/log?container=first&tailLines=0&sinceTime=`), codeOnly: true },
      { ...post(`${core}/pods/two/log`, {}), loose: true },
    ],
  },
];
