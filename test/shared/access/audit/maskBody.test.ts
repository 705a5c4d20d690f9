import { describe, expect, test } from "vitest";
import { maskBody } from "../../../../shared/access/audit/maskBody.ts";
import { isSensitive } from "../../../../shared/base/common/sensitiveKey.ts";

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
    "ssh_key",
    "encrypt_key",
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

  test.each([
    "kind: ConfigMap\n---\nkind: Secret\ndata: {a: eA==}",
    '{"kind": "Secret", "data": {}}',
    "kind: !!str Secret",
    "kind: &kind Secret",
    "kind:\n  Secret",
    "kind: >-\n  Secret",
    "x: &kind Secret\nkind: *kind",
    'kind: "\\x53ecret"',
    '"\\u006bind": Secret\napiVersion: v1',
    "kind: SecretList",
    "items: [{kind: Secret}]",
  ])("a manifest that holds a Secret goes as a whole: %j", (yaml) => {
    expect(maskBody({ yaml })).toEqual({ yaml: mask });
  });

  test.each(["kind: ConfigMap", "kind: SealedSecret", "secretName: web\nkind: Deployment", "a \\x41 b"])(
    "a text that holds none stays: %j",
    (yaml) => expect(maskBody({ yaml })).toEqual({ yaml }),
  );

  test("who signs in at an address is nobody's business", () => {
    const body = {
      address: "https://robot:hunter@2@host/x",
      list: ["ssh://token@host", "mail: a@b.example", "http://h/a@b"],
    };
    const list = [`ssh://${mask}@host`, "mail: a@b.example", "http://h/a@b"];
    expect(maskBody(body)).toEqual({ address: `https://${mask}@host/x`, list });
  });

  test("a Secret that is sent as an object loses what it holds", () => {
    expect(maskBody({ kind: "Secret", metadata: { name: "a" }, data: { a: "eA==" }, stringData: { b: "x" } })).toEqual({
      kind: "Secret",
      metadata: { name: "a" },
      data: mask,
      stringData: mask,
    });
  });

  test.each([
    ["pwd", true],
    ["db_pwd", true],
    ["ak", true],
    ["aliyun_sk", true],
    ["apiKey", true],
    ["x-api-key", true],
    ["secretkey", true],
    ["privateKey", true],
    ["connection_string", true],
    ["ConnectionString", true],
    ["encryption", true],
    ["encryption_mode", false],
    ["credential", true],
    ["credential_id", false],
    ["PASSWD", true],
  ])("%s names a secret: %s", (key, secret) => expect(isSensitive(key)).toBe(secret));

  test("what is empty stays, whatever its type; numbers and lists go", () => {
    expect(maskBody({ password: [], token: {}, secret: 0, my_sk: ["x"] })).toEqual({
      password: [],
      token: {},
      secret: mask,
      my_sk: mask,
    });
  });

  test("a variable loses the chosen values too, by whichever of its names it is told", () => {
    const variable = { value: "a", default: "b", default_value: "b", choice_value: ["c"], description: "d" };
    const masked = { value: mask, default: mask, default_value: mask, choice_value: mask, description: "d" };
    for (const named of [{ is_sensitive: true }, { variable_key: "api-key" }, { name: "DB_PASSWORD" }])
      expect(maskBody({ ...named, ...variable })).toEqual({ ...named, ...masked });
    expect(maskBody({ is_credential: false, name: "region", ...variable })).toEqual({
      is_credential: false,
      name: "region",
      ...variable,
    });
  });

  test.each([
    ["host: db\npassword: hunter2\nport: 1", `host: db\npassword: ${mask}\nport: 1`],
    ["db:\n  token:\n    value: hunter2\n  port: 1", "db:\n  token:\n  port: 1"],
    ["users:\n- password: |\n    hunter2\n  name: a", `users:\n- password: ${mask}\n  name: a`],
    ["db: {password: hunter2}", mask],
    ["{password: hunter2}", mask],
    ["enable_token: true\nport: 1", "enable_token: true\nport: 1"],
    ["- key: A\n  is_credential: true\n  value: hunter2", mask],
    ["- key: A\n  is_credential: false\n  value: plain", "- key: A\n  is_credential: false\n  value: plain"],
    ['"pass\\u0077ord": hunter2', mask],
    ["? password\n: hunter2", mask],
    ["- name: DB_PASSWORD\n  value: hunter2", mask],
  ])("inside a YAML text of variables no secret is left: %j", (text, masked) => {
    expect(maskBody({ variable_yaml: text })).toEqual({ variable_yaml: masked });
  });
});
