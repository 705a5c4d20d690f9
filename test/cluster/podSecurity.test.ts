import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { podSecurityProblem } from "../../shared/kube/podSecurity/podSecurityProblem.ts";
import { podViolations, type Violation } from "../../shared/kube/podSecurity/podViolations.ts";
import { rightsProblem } from "../../shared/kube/podSecurity/rightsProblem.ts";
import { waitFor } from "../harness/waitFor.ts";
import { type Answer, field, type RawClient, rawClient } from "../infra/local/cluster/rawClient.ts";
import { roles } from "../shared/kube/podSecurity/roles.ts";
import {
  fitsInit,
  mangledPods,
  podOf,
  type TestPod,
  type Variant,
  variants,
} from "../shared/kube/podSecurity/variants.ts";

const operator = await readOperatorKubeconfig(process.env);
const levels = ["baseline", "restricted"] as const;
const places = ["containers", "initContainers"] as const;
const run = Math.random().toString(36).slice(2, 8);
const label = "pod-security.kubernetes.io";

type Level = (typeof levels)[number];
/** What the API server says of a pod: its violations, or that it is no valid pod, which it says before it looks at them. */
type Verdict = { told: string } | { invalid: string };

/** Annotations and fields of AppArmor are copied into each other before admission, so a server tells of both. */
function withoutAppArmor(told: string): string {
  return told.replace(/forbidden AppArmor profiles? \([^()]*\)/, "forbidden AppArmor profile");
}

function told(violations: readonly Violation[]): string {
  return withoutAppArmor(violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", "));
}

if (operator === undefined) {
  console.warn("SKIPPED: pod security on a real API server. Set KUBECONFIG to one to run it.");
  describe.skip("pod security on a real API server: KUBECONFIG is not set", () => test("skipped", () => {}));
} else {
  suite(rawClient(operator.text));
}

function suite(client: RawClient): void {
  const namespaceOf = (level: Level): string => `podsec-${run}-${level}`;
  const enforced = async (pod: TestPod, level: Level): Promise<Verdict> => {
    const path = `/api/v1/namespaces/${namespaceOf(level)}/pods?dryRun=All`;
    // Policies of the test cluster about its real node leave pods with this label alone.
    const metadata = { ...pod.metadata, name: "p", labels: { "slipway.test/real": "" } };
    const body = { apiVersion: "v1", kind: "Pod", ...pod, metadata };
    return verdict(await client.send("POST", path, body), level);
  };

  /** The module and the API server agree on a pod: both let it in, or both refuse it for the same. */
  const agree = async (pod: TestPod, level: Level): Promise<Verdict> => {
    const said = await enforced(pod, level);
    if ("told" in said) expect(told(podViolations(pod, level)), JSON.stringify(pod)).toBe(withoutAppArmor(said.told));
    return said;
  };

  beforeAll(async () => {
    for (const level of levels) {
      const labels = {
        ...{ [`${label}/enforce`]: level, [`${label}/enforce-version`]: "latest" },
        ...{ [`${label}/warn`]: level, [`${label}/warn-version`]: "latest" },
      };
      const name = namespaceOf(level);
      const made = await client.send("POST", "/api/v1/namespaces", {
        ...{ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } },
      });
      expect(made.code).toBe(201);
      await waitFor("the service account of the namespace", async () => {
        const account = await client.send("GET", `/api/v1/namespaces/${name}/serviceaccounts/default`);
        return account.code === 200;
      });
    }
  });

  afterAll(async () => {
    for (const level of levels) await client.send("DELETE", `/api/v1/namespaces/${namespaceOf(level)}`);
    client.close();
  });

  describe.each(levels)("at %s", (level) => {
    describe.each(Object.entries(variants))("%s", (_control, those) => {
      test("is judged as the API server judges it, in every variant and in both kinds of containers", async () => {
        for (const variant of those)
          for (const place of places) {
            if (place === "initContainers" && !fitsInit(variant)) continue;
            const said = await agree(podOf([variant], place), level);
            expect({ what: variant.what, invalid: "invalid" in said ? said.invalid : "" }).toEqual({
              ...{ what: variant.what, invalid: "" },
            });
          }
      });
    });

    test("any mixture of changes is judged as the API server judges it", async () => {
      const all = Object.values(variants).flat();
      const counts = { refused: 0, allowed: 0, invalid: 0 };
      const anyPod = fc.record({
        changes: fc.uniqueArray(fc.constantFrom<Variant>(...all), { minLength: 1, maxLength: 4 }),
        place: fc.constantFrom(...places),
        hostUsers: fc.option(fc.boolean(), { nil: undefined }),
      });
      await fc.assert(
        fc.asyncProperty(anyPod, async ({ changes, place, hostUsers }) => {
          const fitting = place === "initContainers" ? changes.filter(fitsInit) : changes;
          const said = await agree(podOf([...fitting, { pod: { hostUsers } }], place), level);
          if ("invalid" in said) counts.invalid += 1;
          else if (said.told === "") counts.allowed += 1;
          else counts.refused += 1;
        }),
        { numRuns: 600 },
      );
      expect(counts.allowed).toBeGreaterThan(30);
      expect(counts.refused).toBeGreaterThan(100);
      expect(counts.invalid).toBeLessThan(250);
    });

    test("something odd anywhere in a pod gets nothing past the module that the API server takes as a violation", async () => {
      const counts = { refused: 0, allowed: 0, invalid: 0 };
      await fc.assert(
        fc.asyncProperty(mangledPods, async (pod) => {
          const said = await enforced(pod, level);
          if ("invalid" in said) {
            counts.invalid += 1;
            return;
          }
          counts[said.told === "" ? "allowed" : "refused"] += 1;
          const found = podViolations(pod, level);
          expect(found.length > 0, `${told(found)} / ${said.told}`).toBe(said.told !== "");
        }),
        { numRuns: 1200 },
      );
      expect(counts.allowed).toBeGreaterThan(10);
      expect(counts.refused).toBeGreaterThan(10);
    });

    test("the API server warns of the same for the templates of workloads", async () => {
      const selected = { metadata: { labels: { app: "a" } } };
      const changes = [
        ...[variants.privileged?.[0], variants.seLinuxOptions?.at(-1), variants.runAsUser?.at(-2)],
        ...[variants.none?.[0], variants.none?.[1]],
      ].filter((one) => one !== undefined);
      for (const change of changes) {
        const pod = podOf([change]);
        const template = { ...pod, metadata: { ...pod.metadata, ...selected.metadata } };
        const once = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
        const selector = { matchLabels: { app: "a" } };
        const workloads: [string, string, string, Record<string, unknown>][] = [
          ["v1", "PodTemplate", "podtemplates", { template }],
          ["v1", "ReplicationController", "replicationcontrollers", { spec: { template } }],
          ["apps/v1", "Deployment", "deployments", { spec: { selector, template } }],
          ["apps/v1", "ReplicaSet", "replicasets", { spec: { selector, template } }],
          ["apps/v1", "StatefulSet", "statefulsets", { spec: { selector, serviceName: "s", template } }],
          ["apps/v1", "DaemonSet", "daemonsets", { spec: { selector, template } }],
          ["batch/v1", "Job", "jobs", { spec: { template: once } }],
          [
            "batch/v1",
            "CronJob",
            "cronjobs",
            { spec: { schedule: "@daily", jobTemplate: { spec: { template: once } } } },
          ],
        ];
        for (const [apiVersion, kind, plural, rest] of workloads) {
          const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
          const path = `${root}/namespaces/${namespaceOf(level)}/${plural}?dryRun=All`;
          const object = { apiVersion, kind, metadata: { name: "w" }, ...rest };
          const answer = await client.send("POST", path, object);
          expect({ kind, code: answer.code }).toEqual({ kind, code: 201 });
          const ours = podSecurityProblem(object, level)?.replace(/^.*?: /, "") ?? "";
          expect({ kind, told: withoutAppArmor(ours) }).toEqual({
            kind,
            told: withoutAppArmor(warningOf(answer, level)),
          });
        }
      }
    });
  });

  describe("rights", () => {
    const namespace = namespaceOf("baseline");
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const may = async (user: string, resourceAttributes: Record<string, string>): Promise<boolean> => {
      const answer = await client.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        ...{ apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec: { user, resourceAttributes } },
      });
      return field(answer, "status.allowed") === true;
    };

    /** What a holder of a Role could do by itself, or by others whom it may be, to the label of its namespace. */
    const lifts = async (user: string): Promise<boolean> => {
      const group = "rbac.authorization.k8s.io";
      const ways: Record<string, string>[] = [
        ...["create", "update", "patch", "delete", "deletecollection"].flatMap((verb) =>
          ["", "status", "finalize"].map((subresource) => ({
            ...{ namespace, verb, group: "", resource: "namespaces", subresource, name: namespace },
          })),
        ),
        ...["escalate", "bind"].flatMap((verb) => [{ namespace, verb, group, resource: "roles" }]),
        { namespace, verb: "bind", group, resource: "clusterroles", name: "cluster-admin" },
      ];
      for (const way of ways) if (await may(user, way)) return true;
      return false;
    };

    test("a Role is refused when Kubernetes lets its holder change the namespace or its own rights, and only then", async () => {
      for (const [at, { rules }] of roles.entries()) {
        const name = `r${at}`;
        const metadata = { name, namespace };
        const made = await client.send("POST", `${rbac}/namespaces/${namespace}/roles`, {
          ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata, rules },
        });
        expect(made.code).toBe(201);
        const bound = await client.send("POST", `${rbac}/namespaces/${namespace}/rolebindings`, {
          ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
          subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: `${run}-${at}` }],
        });
        expect(bound.code).toBe(201);
      }
      // The last is a Role that lifts: once its holder has the rights, those of the others count as well.
      expect(roles.at(-1)?.lifts).toBe(true);
      await waitFor("rights of the last Role", () => lifts(`${run}-${roles.length - 1}`));
      for (const [at, role] of roles.entries()) {
        const metadata = { name: "r", namespace };
        const object = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata, rules: role.rules };
        const refused = rightsProblem(object, "baseline") !== undefined;
        expect({ ...role, lifts: await lifts(`${run}-${at}`) }).toEqual({ ...role, lifts: refused });
      }
    });

    test("the label is lifted by a namespace, its status and its finalizers alike, so all three count as the namespace", async () => {
      const path = `/api/v1/namespaces/${namespaceOf("restricted")}`;
      for (const part of ["", "/status", "/finalize"]) {
        const standing = (await client.send("GET", path)).body as { metadata: { labels: Record<string, string> } };
        const labels = { ...standing.metadata.labels, [`${label}/enforce`]: "privileged" };
        const changed = { ...standing, metadata: { ...standing.metadata, labels } };
        const answer = await client.send("PUT", `${path}${part}?dryRun=All`, changed);
        expect({ part, code: answer.code, labels: field(answer, "metadata.labels") }).toEqual({
          part,
          code: 200,
          labels,
        });
      }
    });

    test("bindings are refused to exactly those ClusterRoles of Kubernetes that hold such rights", async () => {
      const { body } = await client.send(
        "GET",
        `${rbac}/clusterroles?labelSelector=kubernetes.io/bootstrapping=rbac-defaults`,
      );
      const { items } = body as { items: { metadata: { name: string }; rules: unknown }[] };
      expect(items.length).toBeGreaterThan(50);
      const apiVersion = "rbac.authorization.k8s.io/v1";
      const found = (kind: "Role" | "ClusterRole", ofBinding: string) =>
        items.flatMap(({ metadata: { name }, rules }) => {
          const metadata = { name };
          const holds = rightsProblem({ apiVersion, kind, metadata, rules }, "baseline") !== undefined;
          const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
          const refused = rightsProblem({ apiVersion, kind: ofBinding, metadata, roleRef }, "baseline") !== undefined;
          // A chart has no reason to bind a role of Kubernetes' controllers, whatever that one may do.
          return holds === refused || (refused && name.startsWith("system:controller:"))
            ? []
            : [{ name, holds, refused }];
        });
      expect(found("Role", "RoleBinding")).toEqual([]);
      expect(found("ClusterRole", "ClusterRoleBinding")).toEqual([]);
    });
  });
}

function verdict(answer: Answer, level: Level): Verdict {
  if (answer.code === 201) return { told: "" };
  const message = String(field(answer, "message"));
  const [, found] =
    new RegExp(`^pods "p" is forbidden: violates PodSecurity "${level}:latest": (.*)$`, "s").exec(message) ?? [];
  if (answer.code === 403 && found !== undefined) return { told: found };
  expect([400, 422], message).toContain(answer.code);
  return { invalid: message };
}

function warningOf({ headers }: Answer, level: Level): string {
  const found = new RegExp(`would violate PodSecurity \\\\"${level}:latest\\\\": (.*?)"(?:, 299 |$)`, "s");
  return (found.exec(String(headers.warning ?? ""))?.[1] ?? "").replaceAll('\\"', '"');
}
