import { describe, expect, it } from "vitest";
import { shortRefusal } from "../../../../shared/kube/rules/shortRefusal.ts";
import { failureWords } from "../../../../shared/packaging/helm/rules/failureWords.ts";

const template = `{"metadata":{"labels":{"a":"}, {"}},"spec":{"containers":[${'{"name":"main","image":"x:1"},'.repeat(20)}]}}`;

describe("what an API server refuses", () => {
  it.each([
    [
      "the template of a Job",
      `Job.batch "x" is invalid: spec.template: Invalid value: ${template}: field is immutable`,
      'Job.batch "x" is invalid: spec.template: field is immutable',
    ],
    [
      "a Go value",
      `Job.batch "x" is invalid: spec.template: Invalid value: core.PodTemplateSpec${template}: field is immutable`,
      'Job.batch "x" is invalid: spec.template: field is immutable',
    ],
    [
      "two values",
      `D "x" is invalid: [spec.a: Invalid value: ${template}: is wrong, spec.b: Invalid value: "y": must be z]`,
      'D "x" is invalid: [spec.a: is wrong, spec.b: Invalid value: "y": must be z]',
    ],
    [
      "the difference of a claim",
      'PersistentVolumeClaim "x" is invalid: spec: Forbidden: spec is immutable after creation\n  core.PersistentVolumeClaimSpec{\n  - a: 1\n  + b: 2\n  }',
      'PersistentVolumeClaim "x" is invalid: spec: Forbidden: spec is immutable after creation',
    ],
    [
      "a short value",
      'Service "x" is invalid: spec.ports[0].port: Invalid value: 0: must be between 1 and 65535',
      'Service "x" is invalid: spec.ports[0].port: Invalid value: 0: must be between 1 and 65535',
    ],
    ["nothing of the kind", "namespaces is forbidden", "namespaces is forbidden"],
  ])("is told without %s", (_, message, told) => {
    expect(shortRefusal(message)).toBe(told);
  });
});

describe("words of Helm", () => {
  it.each([
    ["its hint", "Error: YAML parse error on x/a.yaml: bad\n\nUse --debug flag to render out invalid YAML\n"],
    ["empty parts", "Error: one;\n\n;\n two\n"],
  ])("are told without %s", (_, stderr) => {
    const words = failureWords(stderr);
    expect(words).not.toMatch(/--debug|;\s*;|;$/);
    expect(words).not.toBe("");
  });
});
