import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type podSecurityLevels, podViolations } from "../../../../shared/kube/podSecurity/podViolations.ts";
import { fitsInit, mangledPods, podOf, type Variant, variants } from "./variants.ts";

const controlsOf = (pod: unknown, level: (typeof podSecurityLevels)[number]): string[] =>
  podViolations(pod, level).map(({ control }) => control);

const textsOf = (changes: readonly Partial<Variant>[], level: "baseline" | "restricted"): string[] =>
  podViolations(podOf(changes), level).map(({ reason, detail }) => `${reason} (${detail})`);

describe.each(Object.entries(variants))("%s", (_control, those) => {
  test.each(those)("$what", (variant) => {
    for (const level of ["baseline", "restricted"] as const) {
      expect(controlsOf(podOf([variant]), level)).toEqual(variant.violates[level]);
      if (fitsInit(variant))
        expect(controlsOf(podOf([variant], "initContainers"), level)).toEqual(variant.violates[level]);
    }
    expect(controlsOf(podOf([variant]), "privileged")).toEqual([]);
  });
});

describe("what no API server lets into a pod", () => {
  test("is forbidden all the same: containers for debugging, procMount without a user namespace, a profile without type", () => {
    const { containers } = podOf([{ own: { privileged: true, procMount: "Unmasked", seccompProfile: {} } }]).spec;
    const pod = { spec: { ephemeralContainers: containers } };
    expect(controlsOf(pod, "baseline")).toEqual(["privileged", "procMount", "seccompProfile_baseline"]);
    const strict = ["procMount_restricted", "runAsNonRoot", "seccompProfile_restricted"];
    expect(controlsOf(pod, "restricted")).toEqual(["privileged", ...strict]);
  });

  test("is a volume of a type that nobody knows yet, beside which one without a source is an emptyDir", () => {
    const volumes = [{ name: "a", warpDrive: {} }, { name: "b" }];
    expect(textsOf([{ pod: { volumes } }], "restricted")).toEqual([
      'restricted volume types (volume "a" uses restricted volume type "unknown")',
    ]);
  });

  test.each([
    [{ spec: { containers: {} } }, "spec.containers must be a list"],
    [{ spec: { containers: [null] } }, "spec.containers[0] must be an object"],
    [{ spec: { hostPID: "true" } }, "spec.hostPID must be true or false"],
    [
      { spec: { containers: [{ securityContext: { privileged: "yes" }, ports: [{ hostPort: "80" }] }] } },
      "spec.containers[0].ports[0].hostPort must be a number, spec.containers[0].securityContext.privileged must be true or false",
    ],
    [{ metadata: { annotations: ["a"] } }, "metadata.annotations must be an object"],
    ["a text", "it must be an object"],
    [undefined, "it is required"],
  ])("is a field of a wrong type: %j", (template, detail) => {
    const violation = { control: "podTemplate", reason: "unreadable pod template", detail };
    expect(podViolations(template, "baseline")).toEqual([violation]);
    expect(podViolations(template, "restricted")).toEqual([violation]);
    expect(podViolations(template, "privileged")).toEqual([]);
  });
});

test("whatever is in a manifest, there is an answer, and what baseline refuses restricted refuses too", () => {
  const anything = fc.oneof(mangledPods, fc.anything({ withNullPrototype: true }), fc.record({ spec: fc.jsonValue() }));
  fc.assert(
    fc.property(anything, (template) => {
      const [baseline, restricted] = [podViolations(template, "baseline"), podViolations(template, "restricted")];
      expect(baseline.length > 0 && restricted.length === 0).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

test("nothing is read where nothing is: null counts as absent", () => {
  for (const template of [{}, { metadata: null, spec: null }, { spec: { containers: null, volumes: null } }])
    expect(podViolations(template, "restricted")).toEqual([]);
});

test("reasons and details name the fields, the containers and the values, each once and in order", () => {
  expect(textsOf([{ base: "bare", pod: { hostNetwork: true, hostPID: true } }], "restricted")).toEqual([
    "host namespaces (hostNetwork=true, hostPID=true)",
    'allowPrivilegeEscalation != false (containers "web", "proxy" must set securityContext.allowPrivilegeEscalation=false)',
    'unrestricted capabilities (containers "web", "proxy" must set securityContext.capabilities.drop=["ALL"])',
    'runAsNonRoot != true (pod or containers "web", "proxy" must set securityContext.runAsNonRoot=true)',
    'seccompProfile (pod or containers "web", "proxy" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ]);
  const annotations = { "container.apparmor.security.beta.kubernetes.io/web": "unconfined" };
  expect(textsOf([{ annotations, context: { appArmorProfile: { type: "Unconfined" } } }], "baseline")).toEqual([
    'forbidden AppArmor profiles (pod and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/web="unconfined"")',
  ]);
});
