import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keptWarnings } from "../../../shared/manifest/manifestWarning.ts";
import { parseDocuments, parseManifest } from "../../../shared/manifest/parseManifest.ts";
import { dumpYaml } from "../../../shared/manifest/parseYaml.ts";
import { renderService } from "../../../shared/manifest/renderService.ts";
import { at } from "../../../shared/manifest/workloads.ts";

const deployment = (spec: string, more = "") => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
${more}  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
${spec}`;

const read = (yaml: string) => {
  const documents = parseDocuments(yaml);
  return {
    objects: documents.flatMap(({ objects }) => objects),
    warnings: documents.flatMap(({ warnings }) => warnings),
  };
};

describe("what is not in order is read as Kubernetes reads it, with a warning", () => {
  it("fields that nothing declares are left out", () => {
    const yaml = deployment("      containers: [{name: a, image: b, imagePullPolice: Always}]\n", "  replica: 2\n");
    const { objects, warnings } = read(yaml);
    expect(objects[0]?.spec).not.toHaveProperty("replica");
    expect(objects[0]).toHaveProperty("spec.template.spec.containers", [{ name: "a", image: "b" }]);
    expect(warnings).toEqual([
      {
        code: "undeclared_field",
        message: 'Deployment "web": spec.replica is not a field that Kubernetes knows; it is left out',
        line: 5,
      },
      {
        code: "undeclared_field",
        message:
          'Deployment "web": spec.template.spec.containers[0].imagePullPolice is not a field that Kubernetes knows; it is left out',
        line: 10,
      },
    ]);
  });

  it("of a key that comes again the last one is kept", () => {
    const { objects, warnings } = read(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: 1\n  x: two\n",
    );
    expect(objects[0]?.data).toEqual({ x: "two" });
    expect(warnings).toEqual([
      { code: "duplicate_key", message: "the key data.x is given more than once; the last one is kept", line: 6 },
    ]);
  });

  it("of an entry that comes again in a list the last one is kept", () => {
    const yaml = deployment(`      containers:
        - name: a
          image: b
          ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}, {containerPort: 80, protocol: UDP}]
          env:
            - {name: A, value: one}
            - {name: B, value: one}
            - {name: A, value: two}
`);
    const { objects, warnings } = read(yaml);
    expect(objects[0]).toHaveProperty("spec.template.spec.containers", [
      {
        name: "a",
        image: "b",
        ports: [
          { containerPort: 80, protocol: "TCP" },
          { containerPort: 80, protocol: "UDP" },
        ],
        env: [
          { name: "B", value: "one" },
          { name: "A", value: "two" },
        ],
      },
    ]);
    expect(warnings.map(({ code, line }) => [code, line])).toEqual([
      ["duplicate_entry", 12],
      ["duplicate_entry", 14],
    ]);
    expect(warnings[1]?.message).toBe(
      'Deployment "web": spec.template.spec.containers[0].env has name "A" more than once; the last one is kept',
    );
  });

  it("entries whose doubles Kubernetes refuses stay for it to refuse", () => {
    const { objects, warnings } = read(deployment("      containers: [{name: a, image: b}, {name: a, image: c}]\n"));
    expect(objects[0]).toHaveProperty("spec.template.spec.containers.length", 2);
    expect(warnings).toEqual([]);
  });

  it("a namespace may stand there, for it may be the environment's own", () => {
    const { objects, warnings } = read("\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n");
    expect(objects).toHaveLength(1);
    expect(warnings.map(({ code, line }) => [code, line])).toEqual([["namespace_left_out", 2]]);
  });

  it("in the items of a list, and through aliases", () => {
    const yaml = `kind: List
apiVersion: v1
items:
  - &map
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: a}
    dataa: {}
  - *map
`;
    const { objects, warnings } = read(yaml);
    expect(objects.map((object) => Object.keys(object))).toEqual(Array(2).fill(["apiVersion", "kind", "metadata"]));
    expect(warnings.map(({ line }) => line)).toEqual([8, 8]);
  });

  it("kinds that do not come with Kubernetes are not looked into", () => {
    const { objects, warnings } = read(
      "apiVersion: example.com/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {x: 1}\n",
    );
    expect(objects[0]?.spec).toEqual({ x: 1 });
    expect(warnings).toEqual([]);
  });

  it("a few warnings of bounded length are kept, whatever is sent", () => {
    const fields = Array.from({ length: 5000 }, (_, at) => `  f${at}: 1\n`).join("");
    const { warnings } = read(deployment("      containers: []\n", `${fields}  ${"x".repeat(50_000)}: 1\n`));
    const kept = keptWarnings(warnings);
    expect(warnings).toHaveLength(5001);
    expect(kept).toHaveLength(100);
    expect(Math.max(...keptWarnings(warnings.slice(-1)).map(({ message }) => message.length))).toBe(500);
  });

  it("what was read once is in order", () => {
    const entries = fc.array(fc.record({ name: fc.constantFrom("a", "b", "c"), value: fc.string(), odd: fc.nat() }));
    fc.assert(
      fc.property(entries, fc.dictionary(fc.string(), fc.string()), (env, spec) => {
        const template = { spec: { ...spec, containers: [{ name: "main", image: "x", env }] } };
        const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" }, spec: { template } };
        const once = parseManifest(dumpYaml(object));
        const again = read(dumpYaml(once[0]));
        expect(again.objects).toEqual(once);
        expect(again.warnings).toEqual([]);
      }),
    );
  });
});

describe("an action with a variable that nothing declares", () => {
  const rule = (text: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rules}\ndata:\n  rule: '${text}'\n`;
  const render = (text: string) => {
    const { objects, warnings } = renderService({ yaml: rule(text), variables: [], strict: true });
    return { text: at(objects[0], ["data", "rule"]), warnings };
  };

  it.each([
    "{{ $labels.pod }} is down",
    "{{$value}}",
    "{{ $value | humanizePercentage }}",
    '{{ printf "%.2f" $value }} of {{- $labels.job -}} x',
    "{{ if $labels.pod }}{{ $labels.pod }}{{ else }}none{{ end }} after",
    "{{ with $x := $labels.y }}{{ $x }}{{ end }}",
    "{{ range $labels }}a{{- else -}} b{{end}}",
  ])("stays as text: %s", (text) => {
    const rendered = render(text);
    expect(rendered.text).toBe(text);
    expect(rendered.warnings[0]).toMatchObject({ code: "undeclared_variable", line: 5 });
  });

  it("leaves what stands beside it to the template", () => {
    expect(render('{{ $x := "a" }}{{ $x }} {{ $labels.y }} {{ "b" }}').text).toBe("a {{ $labels.y }} b");
  });

  it.each(["{{ unknown }}", "{{ if $x }}", "{{ $x"])("does not hide what is wrong: %s", (text) => {
    expect(() => render(text)).toThrow();
  });
});
