import { describe, expect, it } from "vitest";
import { replaceContext } from "../../../shared/manifest/edit/replaceContext.ts";
import { parseManifest } from "../../../shared/manifest/parseManifest.ts";
import { RenderError, renderService } from "../../../shared/manifest/renderService.ts";
import { serviceContainers } from "../../../shared/manifest/serviceContainers.ts";
import type { ServiceVariable } from "../../../shared/manifest/variables/serviceVariable.ts";
import { cpuTime } from "../base/common/cpuTime.ts";

const context = { projectKey: "Shop", serviceName: "Web", namespace: "NS", envName: "Dev", clusterName: "Main" };

function variable(key: string, value: unknown, type: ServiceVariable["type"] = "string"): ServiceVariable {
  return { key, value, type, options: [], desc: "" };
}

function failure(yaml: string, variables: ServiceVariable[] = [], strict = true): RenderError {
  try {
    renderService({ yaml, variables, strict, context });
  } catch (error) {
    if (error instanceof RenderError) return error;
    throw error;
  }
  throw new Error("the service was rendered");
}

const deployment = `# the shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{.name}} # its name
  namespace: $Namespace$
spec:
  replicas: {{.replicas}}
  template:
    spec:
      containers:
      - {name: web, image: "nginx:1"} # the web server
      - name: side
        image: {{.registry}}/side:{{.tag}}   # beside it
`;
const values = [
  variable("name", "shop"),
  variable("replicas", 2),
  variable("registry", "reg.io/a"),
  variable("tag", "v1"),
];

describe("service YAML becomes what would be applied", () => {
  it("with variables, placeholders and images filled in, and its comments kept", () => {
    const images = { web: "nginx:2", side: "reg.io/a/side:v2" };
    const { text, objects } = renderService({ yaml: deployment, variables: values, context, images, strict: true });
    expect(text).toBe(
      deployment
        .replace("{{.name}}", "shop")
        .replace("$Namespace$", "ns")
        .replace("{{.replicas}}", "2")
        .replace("nginx:1", "nginx:2")
        .replace("{{.registry}}/side:{{.tag}}", "reg.io/a/side:v2"),
    );
    expect(objects).toEqual(parseManifest(text));
  });

  it("with images that come through anchors and merges, by writing the document anew", () => {
    const yaml = `apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  template:
    spec:
      containers:
      - &base {name: a, image: x}
      - {<<: *base, name: b}
---
# kept
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
`;
    const { text, objects } = renderService({ yaml, variables: [], images: { b: "y:1" }, strict: true });
    expect(serviceContainers(text, []).map(({ name, image }) => `${name}=${image}`)).toEqual(["a=x", "b=y:1"]);
    expect(parseManifest(text)).toEqual(objects);
    expect(text).toContain("# kept");
  });

  it.each(["latest", "yes", "1.5", "a b: c #", "reg.io:5000/a/b:1@sha256:00", '"'])(
    "with the image %j as text",
    (image) => {
      const { text, objects } = renderService({
        yaml: deployment,
        variables: values,
        images: { side: image },
        strict: true,
      });
      expect(parseManifest(text)).toEqual(objects);
      expect(serviceContainers(text, []).find(({ name }) => name === "side")?.image ?? image).toBe(image);
    },
  );

  it("with documents joined by --- and CRLF as LF", () => {
    const yaml =
      "---\r\napiVersion: v1\r\nkind: A\r\nmetadata: {name: a}\r\n---\r\n\r\n---\r\napiVersion: v1\r\nkind: B\r\nmetadata: {name: {{.b}}}\r\n";
    const { text, objects } = renderService({ yaml, variables: [variable("b", "x")], strict: true });
    expect(text).toBe(
      "apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\napiVersion: v1\nkind: B\nmetadata: {name: x}\n",
    );
    expect(objects.map(({ kind }) => kind)).toEqual(["A", "B"]);
  });

  it("with every placeholder, in lower case but for those of templates (P 11.3, 11.4)", () => {
    const text = "$T-Project$ $T-Service$ $Namespace$ $EnvName$ $Product$ $Service$ $ClusterName$ $Other$";
    expect(replaceContext({ text, spans: [] }, context).text).toBe("Shop Web ns dev shop web main $Other$");
  });

  it("with spans that follow their text when placeholders are filled in", () => {
    const text = "$Namespace$ab$EnvName$cd$Namespace$";
    const spans = [
      { start: 11, end: 13, variable: "ab" },
      { start: 15, end: 24, variable: "partly" },
    ];
    const filled = replaceContext({ text, spans }, { ...context, namespace: "n", envName: "longer-name" });
    expect(filled.text).toBe("nablonger-namecdn");
    const shown = filled.spans.map(({ start, end, variable: name }) => [name, filled.text.slice(start, end)]);
    expect(shown).toContainEqual(["ab", "ab"]);
    expect(shown).toContainEqual(["partly", "longer-namecd"]);
    expect(shown).toContainEqual(["$EnvName$", "longer-name"]);
  });
});

describe("what cannot be rendered is refused with its reason", () => {
  it("names every key without value in strict rendering, and shows <no value> otherwise", () => {
    const error = failure(deployment, [variable("name", "x")]);
    expect([error.reason, error.variables]).toEqual(["variable", ["replicas", "registry", "tag"]]);
    const variables = [variable("name", "x")];
    expect(renderService({ yaml: deployment, variables, strict: false }).text).toContain("replicas: <no value>");
  });

  it("names a nested key that the variable lacks", () => {
    const error = failure("{{.a.b}}", [variable("a", "c: 1", "yaml")]);
    expect([error.reason, error.variables]).toEqual(["variable", ["a.b"]]);
    expect(error.message).toContain("a.b");
  });

  it.each([
    ["a template that cannot be read", "a: {{.b", [], "template"],
    ["a template that fails", "a: {{index .b 5}}", [variable("b", "[]", "yaml")], "template"],
    ["a value that does not fit its type", "a: 1", [variable("b", "x", "bool")], "variable"],
    ["a manifest that is wrong", "a: 1", [], "manifest"],
    ["too many steps", "{{range 10000000}}{{end}}", [], "limit"],
    ["too much YAML", `#${"x".repeat(2 * 1024 * 1024)}`, [], "limit"],
    ["too much text", "{{range 100000}}# {{$.a}}\n{{end}}", [variable("a", "x".repeat(100))], "limit"],
    ["too many documents", "a: 1\n---\n".repeat(1001), [], "limit"],
  ] as const)("%s", (_, yaml, variables, reason) => {
    expect(failure(yaml, [...variables]).reason).toBe(reason);
  });
});

describe("containers of a service as it is saved", () => {
  it("keep the raw text of an image whose variables have no value (P 13.9)", () => {
    const found = serviceContainers(deployment, [variable("name", "x"), variable("replicas", 1)]);
    expect(found.map(({ name, image, imageName }) => [name, image, imageName])).toEqual([
      ["web", "nginx:1", "nginx"],
      ["side", "{{.registry}}/side:{{.tag}}", "side"],
    ]);
  });

  it("take the values that are there", () => {
    expect(serviceContainers(deployment, values).map(({ image }) => image)).toEqual(["nginx:1", "reg.io/a/side:v1"]);
  });

  it("pass when only values are missing, even the name of an object", () => {
    expect(serviceContainers(deployment, []).map(({ name }) => name)).toEqual(["web", "side"]);
  });

  it.each([
    ["a kind without name", "apiVersion: v1\nkind: ConfigMap\n"],
    ["a tab", `${deployment}\tx: 1\n`],
    ["a broken template", "a: {{"],
  ])("refuse %s", (_, yaml) => {
    expect(() => serviceContainers(yaml, values)).toThrow(RenderError);
  });
});

describe("rendering is fast enough", () => {
  it("makes 400 objects of 1 MB with variables in less than a second", () => {
    const lines = Array.from(
      { length: 40 },
      (_, at) => `  KEY_${at}: "{{.v${at % 10}}} and some text to fill it up, line ${at}"\n`,
    ).join("");
    const one = (at: number) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{.name}}-${at}\ndata:\n${lines}`;
    const yaml = Array.from({ length: 400 }, (_, at) => one(at)).join("---\n");
    const variables = [
      variable("name", "cfg"),
      ...Array.from({ length: 10 }, (_, at) => variable(`v${at}`, `value: ${at} {x}`)),
    ];
    expect(yaml.length).toBeGreaterThan(800_000);
    const render = () => expect(renderService({ yaml, variables, context, strict: true }).objects).toHaveLength(400);
    expect(cpuTime(render)).toBeLessThan(1000);
  });
});
