import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filledYaml } from "../../../../shared/manifest/edit/filledYaml.ts";
import { yamlTemplate } from "../../../../shared/manifest/edit/yamlTemplate.ts";

const filled = (content: string, values: Record<string, string>) =>
  filledYaml(yamlTemplate(content, (path) => values[path] ?? `{{.${path}}}`));

describe("a YAML template", () => {
  test("has its values in scalars and keys, of the types that they would have there", () => {
    const content = `
spec:
  replicas: {{.n}}
  paused: {{ .flag }}
  gone: {{.none}}
  image: shop:{{.n}}
  quoted: "{{.n}}"
  tagged: !!str {{.n}}
  flow: { ports: [{{.n}}, x-{{.n}}], '{{.key}}': {{.flag}} }
  script: |
    echo {{.text}}
    Value0Z # {{.n}}
`;
    expect(filled(content, { n: "3", flag: "true", none: "", key: "a: b", text: "one\ntwo" })).toEqual({
      spec: {
        ...{ replicas: 3, paused: true, gone: null, image: "shop:3", quoted: "3", tagged: "3" },
        flow: { ports: [3, "x-3"], "a: b": true },
        script: "echo one\ntwo\nValue0Z # 3\n",
      },
    });
    expect(filled("{{.whole}}\n", { whole: "data: {a: b}" })).toEqual({ data: { a: "b" } });
    expect(() => filled("n: {{.n}}", { n: "123456789012345678901" })).toThrow("it has more than 64 bits");
  });

  test("keeps its structure whatever a value holds", () => {
    const sly = fc.stringMatching(/^[ab1'"{}[\]:,#&*!|>%@`\n\t\\ -]{0,12}$/);
    fc.assert(
      fc.property(sly, fc.string(), (one, two) => {
        const values = { one, two };
        const nested = filled("a: {b: '{{.one}}', c: [\"{{.two}}\", end]}\nd: |-\n  {{.one}}{{.two}}", values);
        expect(nested).toEqual({ a: { b: one, c: [two, "end"] }, d: one + two });
        const plain = filled("a: {{.one}}\nb: [x{{.two}}]", values);
        expect(plain).toEqual({
          a: expect.toSatisfy((value) => typeof value !== "object" || value === null),
          b: [`x${two}`],
        });
      }),
    );
  });
});
