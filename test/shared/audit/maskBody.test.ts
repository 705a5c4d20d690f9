import { describe, expect, test } from "vitest";
import { isSensitive, maskBody } from "../../../shared/audit/maskBody.ts";

const mask = "********";

describe("masking of an operation log's body", () => {
  test.each([
    "password",
    "dbPassword",
    "API_KEY",
    "apikey",
    "accessKeyId",
    "x-secret",
    "my_ak",
    "kube_config",
    "tls_cert",
  ])("%s names a secret", (key) => expect(isSensitive(key)).toBe(true));

  test.each(["name", "break", "task", "tokens_used", "secretary", "key", "monkey"])("%s names none", (key) =>
    expect(isSensitive(key)).toBe(false),
  );

  test("secrets go at any depth; null, booleans and empty texts stay", () => {
    const body = { a: [{ secret_key: "x", enable_token: true, password: "", token: null }], name: "web" };
    expect(maskBody(body)).toEqual({
      a: [{ secret_key: mask, enable_token: true, password: "", token: null }],
      name: "web",
    });
  });

  test("a variable that is a credential, or whose key names a secret, loses its value", () => {
    expect(
      maskBody([
        { key: "DB_PASSWORD", value: "x" },
        { name: "n", is_credential: true, value: "y", default: "z" },
      ]),
    ).toEqual([
      { key: "DB_PASSWORD", value: mask },
      { name: "n", is_credential: true, value: mask, default: mask },
    ]);
  });

  test("a manifest that holds a Secret goes as a whole", () => {
    expect(maskBody({ yaml: "kind: ConfigMap\n---\nkind: Secret\ndata: {a: eA==}" })).toEqual({ yaml: mask });
  });

  test.each([
    ["host: db\npassword: hunter2\nport: 1", `host: db\npassword: ${mask}\nport: 1`],
    ["db:\n  token:\n    value: hunter2\n  port: 1", "db:\n  token:\n  port: 1"],
    ["users:\n- password: |\n    hunter2\n  name: a", `users:\n- password: ${mask}\n  name: a`],
    ["db: {password: hunter2}", mask],
    ["{password: hunter2}", mask],
  ])("inside a YAML text of variables no secret is left: %j", (text, masked) => {
    expect(maskBody({ variable_yaml: text })).toEqual({ variable_yaml: masked });
  });
});
