import { expect, test } from "vitest";
import { withoutSecretValues } from "../../../../shared/kube/client/withoutSecretValues.ts";

const mark = 'mark"4711';
const path = "/api/v1/namespaces/shop/secrets/login";
const stored = JSON.stringify({ apiVersion: "v1", data: { a: Buffer.from(mark).toString("base64") }, kind: "Secret" });

test.each([
  [
    `Secret "login" is invalid: patch: Invalid value: ${JSON.stringify(stored)}: illegal base64 data at input byte 6`,
    `Secret "login" is invalid: patch: Invalid value: "********": illegal base64 data at input byte 6`,
  ],
  [
    `Secret "login" is invalid: [data[a b]: Invalid value: "a b": a valid config key, type: Unsupported value: ${JSON.stringify(mark)}: supported values: "a"]`,
    'Secret "login" is invalid: [data[a b]: Invalid value: "********": a valid config key, type: Unsupported value: "********": supported values: "a"]',
  ],
  [`data: Invalid value: {"a":${mark}\n}: wrong`, "data: Invalid value: ********"],
  [
    `.stringData.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":"${mark}\n"}}`,
    ".stringData.a: expected string, got ********",
  ],
  [
    "json: cannot unmarshal number 4711 into Go type uint8",
    "json: cannot unmarshal number ******** into Go type uint8",
  ],
  [
    `admission webhook "no.weak" denied the request: ${mark} is weak`,
    'admission webhook "no.weak" denied the request: ******** is weak',
  ],
  ['secrets "login" not found', 'secrets "login" not found'],
])("%s", (message, shown) => {
  const status = { kind: "Status", message, details: { name: "login", causes: [{ field: "data", message }] } };
  const body = JSON.stringify({ kind: "Secret", stringData: { a: mark } });
  expect(withoutSecretValues(status, { path: `${path}?dryRun=All`, body })).toEqual({
    ...{ kind: "Status", message: shown },
    details: { name: "login", causes: [{ field: "data", message: shown }] },
  });
  const patch = JSON.stringify([{ op: "add", path: "/stringData/a", value: mark }]);
  expect(withoutSecretValues(status, { path: "/api/v1/secrets", body: patch })).toMatchObject({ message: shown });
  expect(withoutSecretValues(status, { path: "/api/v1/namespaces/shop/configmaps/secrets", body })).toBe(status);
});
