import { describe, expect, it } from "vitest";
import { extractContainers, imageName, replaceImages } from "../../../shared/manifest/containers.ts";
import { parseManifest } from "../../../shared/manifest/parseManifest.ts";

function workload(kind: string, containers: string, init = "[]", name = "w"): string {
  const pod = `{spec: {initContainers: ${init}, containers: ${containers}}}`;
  const spec = kind === "CronJob" ? `{jobTemplate: {spec: {template: ${pod}}}}` : `{template: ${pod}}`;
  return `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: ${name}}, spec: ${spec}}`;
}

function brief(text: string): string[] {
  return extractContainers(parseManifest(text)).map(({ name, type, image }) => `${name}:${type}:${image}`);
}

describe("containers of a service (contract P 13)", () => {
  it.each(["Deployment", "StatefulSet", "DaemonSet", "Job", "CloneSet", "CronJob"])("are found in a %s", (kind) => {
    expect(brief(workload(kind, "[{name: a, image: i}]"))).toEqual(["a::i"]);
  });

  it.each(["Pod", "ReplicaSet", "Rollout"])("are not looked for in a %s", (kind) => {
    expect(brief(workload(kind, "[{name: a, image: i}]"))).toEqual([]);
  });

  it("come with init containers first; of equal names the first one counts", () => {
    const first = workload("Deployment", "[{name: a, image: i1}, {name: b, image: i2}]", "[{name: c, image: i3}]");
    const second = workload("Job", "[{name: b, image: other}, {name: d, image: i4}]");
    expect(brief(`${first}\n---\n${second}`)).toEqual(["c:init:i3", "a::i1", "b::i2", "d::i4"]);
  });

  it("end at a container without name or image", () => {
    expect(brief(workload("Deployment", "[{name: a, image: i}, {name: b}, {name: c, image: i}]"))).toEqual(["a::i"]);
    expect(brief(workload("Deployment", "[{image: i}, {name: c, image: i}]"))).toEqual([]);
  });

  it.each([
    ["reg.io:5000/ns/app:v1", "app"],
    ["app", "app"],
    ["app:1", "app"],
    ["ns/app@sha256:0123", "app"],
    ["reg.io/ns/app:v1@sha256:0123", "app"],
    ["", ""],
  ])("the name of the image %s is %s", (image, name) => {
    expect(imageName(image)).toBe(name);
  });
});

describe("images are replaced by container name", () => {
  it("in every workload that has the name, without changing what was given", () => {
    const objects = parseManifest(
      ["Deployment", "CronJob", "Pod"]
        .map((kind) => workload(kind, "[{name: a, image: i}]", "[{name: b, image: j}]"))
        .join("\n---\n"),
    );
    const before = JSON.stringify(objects);
    const after = replaceImages(objects, { a: "new", c: "x" });
    expect(JSON.stringify(objects)).toBe(before);
    expect(extractContainers(after.slice(0, 1)).map(({ image }) => image)).toEqual(["j", "new"]);
    expect(extractContainers(after.slice(1, 2)).map(({ image }) => image)).toEqual(["j", "new"]);
    expect(after[2]).toBe(objects[2]);
  });

  it("and gives the same objects when nothing changes", () => {
    const objects = parseManifest(workload("Deployment", "[{name: a, image: i}, {name: constructor, image: k}]"));
    expect(replaceImages(objects, { a: "i", z: "y" })[0]).toBe(objects[0]);
    expect(replaceImages(objects, {})[0]).toBe(objects[0]);
  });
});
