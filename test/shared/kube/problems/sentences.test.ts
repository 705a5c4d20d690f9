import { describe, expect, test } from "vitest";
import {
  crashSentence,
  creationSentence,
  imageSentence,
  missingSentence,
  probeSentence,
} from "../../../../shared/kube/problems/sentences.ts";

describe("an image that cannot be pulled", () => {
  const pulling = (desc: string) =>
    `Failed to pull image "reg.io/a:1": rpc error: code = Unknown desc = failed to pull and unpack image "reg.io/a:1": ${desc}`;
  test.each([
    [
      pulling('failed to resolve reference "reg.io/a:1": reg.io/a:1: not found'),
      "image reg.io/a:1 of container main cannot be pulled: the registry has no such image (not found)",
    ],
    [
      pulling(
        'failed to resolve reference "reg.io/a:1": unexpected status from HEAD request to https://reg.io/v2/a/manifests/1: 401 Unauthorized',
      ),
      "image reg.io/a:1 of container main cannot be pulled: the registry refuses the login (401 Unauthorized)",
    ],
    [
      pulling('failed to do request: Head "https://reg.io/v2/a/manifests/1": dial tcp: lookup reg.io: no such host'),
      "image reg.io/a:1 of container main cannot be pulled: the registry's name is unknown (no such host)",
    ],
    [
      pulling(
        'failed to do request: Head "https://reg.io/v2/a/manifests/1": http: server gave HTTP response to HTTPS client',
      ),
      "image reg.io/a:1 of container main cannot be pulled: the registry speaks plain HTTP, which the node does not allow (server gave HTTP response to HTTPS client)",
    ],
    ['Back-off pulling image "reg.io/a:1"', "image reg.io/a:1 of container main cannot be pulled"],
    ["something new", "image reg.io/a:1 of container main cannot be pulled: something new"],
  ])("%s", (told, sentence) => {
    expect(imageSentence("main", "reg.io/a:1", told)).toBe(sentence);
  });
});

describe("a container that ended", () => {
  const crash = { container: "main", exitCode: 1, reason: "Error", message: "", restarts: 0, lastLines: "" };
  test.each([
    [{}, "container main ended with exit code 1"],
    [
      { exitCode: 127, restarts: 1 },
      "container main ended with exit code 127 (its command was not found) and was started again once",
    ],
    [
      { exitCode: 137, reason: "OOMKilled", restarts: 4, lastLines: "allocating" },
      "container main ended because it used more memory than its limit allows and was started again 4 times; the last that it said: allocating",
    ],
    [
      { exitCode: undefined, message: "from the termination log" },
      "container main ended; the last that it said: from the termination log",
    ],
  ])("%j", (more, sentence) => {
    expect(crashSentence({ ...crash, ...more })).toBe(sentence);
  });
});

describe("something that is not there", () => {
  test.each([
    ['configmap "settings" not found', "ConfigMap settings does not exist"],
    ['MountVolume.SetUp failed for volume "v" : secret "tls" not found', "Secret tls does not exist"],
    ["couldn't find key level in ConfigMap shop/settings", "ConfigMap settings has no key level"],
    ["couldn't find key pass in Secret shop/login", "Secret login has no key pass"],
    [
      'MountVolume.SetUp failed for volume "v" : configmap references non-existent config key: level',
      "its ConfigMap has no key level",
    ],
    ["back-off 5m0s restarting failed container", undefined],
  ])("%s", (told, sentence) => {
    expect(missingSentence(told)).toBe(sentence);
  });
});

test("a quota that is exceeded is named with its figures", () => {
  const told = 'pods "web-1" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2';
  expect(creationSentence(told)).toBe(
    "its pods cannot be created: the quota small of the namespace is exceeded (requested: pods=1, used: pods=2, limited: pods=2)",
  );
  expect(creationSentence("no service account")).toBe("its pods cannot be created: no service account");
});

test.each([
  [
    "Readiness probe failed: HTTP probe failed with statuscode: 404",
    "container main is not ready: its readiness probe fails (HTTP probe failed with statuscode: 404)",
  ],
  [
    "Liveness probe failed: connection refused",
    "container main is started again and again: its liveness probe fails (connection refused)",
  ],
  ["Startup probe errored", "container main does not come up: its startup probe fails"],
  ["Back-off restarting", undefined],
])("%s", (told, sentence) => {
  expect(probeSentence("main", told)).toBe(sentence);
});
