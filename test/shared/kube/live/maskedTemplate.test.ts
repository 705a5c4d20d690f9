import { describe, expect, test } from "vitest";
import { maskedTemplate, maskProblem } from "../../../../shared/kube/live/maskedTemplate.ts";
import { maskedObject } from "../../../../shared/kube/live/secretValues.ts";

const secret = "s3cr3t-value";
const encoded = Buffer.from(secret).toString("base64");
const plain = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{.name}}"} # a comment\ndata: {a: b}\n';
const head = "apiVersion: v1\nmetadata: {name: $T-Service$}\n";

/** Forms in which the text of a service may hold a Secret. */
const forms: Record<string, string> = {
  "as it is": `${head}kind: Secret\nstringData: {password: ${secret}}\ndata: {more: ${encoded}}\n`,
  "with a comment": `${head}kind: Secret\n# ${secret}\nstringData: {password: ${secret}}\n`,
  "as JSON": JSON.stringify({ apiVersion: "v1", kind: "Secret", stringData: { password: secret } }),
  "behind an anchor": `${head}kind: &k Secret\nstringData: {password: &p ${secret}, again: *p}\n`,
  "with an escaped kind": `${head}"kind": "\\x53ecret"\nstringData: {password: ${secret}}\n`,
  "in a list": `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {password: ${secret}}}\n`,
  "with a name from a value": `${head}kind: Secret\nstringData:\n  "{{.key}}": "{{.before}}${secret}"\n`,
  "with a value from a literal": `${head}kind: Secret\nstringData:\n  password: {{ print "${secret}" }}\n`,
  "with a kind from a value": `${head}kind: "{{.kind}}"\nstringData: {password: ${secret}}\n`,
  "with a part of the kind from a value": `${head}kind: Sec{{.rest}}\nstringData: {password: ${secret}}\n`,
  "without a kind but that of a value": `${head}{{.kindLine}}: x\nstringData: {password: ${secret}}\n`,
  "in a branch": `{{if .x}}\n${head}kind: Secret\nstringData: {password: ${secret}}\n{{end}}\n`,
  "with branches for the kind": `${head}{{- if .x }}\nkind: Secret\n{{- else }}\nkind: ConfigMap\n{{- end }}\nstringData: {password: ${secret}}\n`,
  "with a branch within": `${head}kind: Secret\nstringData:\n{{- if .x }}\n  password: ${secret}\n{{- end }}\n`,
  "with a template that is broken": `${head}kind: Secret\nstringData: {password: ${secret}}\n{{ if`,
  "as no YAML": `${head}kind: Secret\nstringData: {password: ${secret}\n`,
  "with an annotation that repeats it": `apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  annotations:\n    note: 'is ${secret}'\n    encoded: ${encoded}\n    kubectl.kubernetes.io/last-applied-configuration: '{"stringData":{"password":"${secret}"}}'\nstringData: {password: ${secret}}\n`,
};

describe("the text of a service", () => {
  test.each(Object.entries(forms))("hides a Secret %s, between others that stay", (_, form) => {
    const shown = maskedTemplate(`${plain}---\n${form}\n---\n${plain}`);
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(encoded);
    expect(shown).toContain("********");
    expect(shown.split("---\n")[0]).toBe(plain);
    expect(shown.split("---\n").at(-1)).toBe(plain);
  });

  test("keeps the keys of a Secret, and what a value gives outside of them", () => {
    const shown = maskedTemplate(
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: {{.name}}\n  annotations: {team: shop}\nstringData: {password: ${secret}, user: {{.user}}}\n`,
    );
    const fields = "stringData:\n  password: '********'\n  user: '********'\n";
    expect(shown).toBe(
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: {{.name}}\n  annotations:\n    team: shop\n${fields}`,
    );
  });

  test("without one stays as it is, byte by byte", () => {
    const others = [
      "\n# first\n---\n",
      `${plain}---\r\n${plain}`,
      "kind: SecretStore\napiVersion: external-secrets.io/v1\nmetadata: {name: a}\nspec: {a: {{.b}}}\n",
      "kind: Secret\napiVersion: example.com/v1\nmetadata: {name: a}\nspec: {a: b}\n",
      `${head}kind: Deployment\nspec:\n{{if .x}}\n  replicas: {{.n}}\n{{end}}\n  ref: {kind: SecretRef}\n`,
    ];
    for (const text of others) expect(maskedTemplate(text)).toBe(text);
  });

  test("that holds the mask is told, with the keys", () => {
    const text = maskedTemplate(`${plain}---\n${forms["as it is"]}`);
    expect(maskProblem(text)).toBe(
      "******** stands for a value of a Secret that is not shown; send the value itself of data.more, stringData.password",
    );
    expect(maskProblem(forms["as it is"] ?? "")).toBeUndefined();
    expect(maskProblem(plain.replace("a: b", "a: '********'"))).toBeUndefined();
  });
});

test("a live Secret keeps annotations that repeat nothing", () => {
  const annotations = { team: "shop", copy: `{"password":"${encoded}"}`, clear: `it is ${secret}` };
  const live = { apiVersion: "v1", kind: "Secret", metadata: { name: "a", annotations }, data: { password: encoded } };
  expect(maskedObject(live)).toEqual({
    ...live,
    metadata: { name: "a", annotations: { team: "shop", copy: "********", clear: "********" } },
    data: { password: "********" },
  });
});
