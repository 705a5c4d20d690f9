import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Credential,
  mapCredentials,
  showCredentials,
} from "../../../../shared/workflows/definition/credentials.ts";

type Tree = Record<string, unknown>;

function credentialsOf(definition: Tree): Credential[] {
  const found: Credential[] = [];
  mapCredentials(definition, (credential) => {
    found.push(credential);
    return "";
  });
  return found;
}

const valuesOf = (definition: Tree) => credentialsOf(definition).map(({ value }) => value);

describe("credentials of a definition", () => {
  const places: [string, Tree, unknown[]][] = [
    [
      "a parameter",
      { params: [{ name: "p", is_credential: true, value: "a", default: "b", choice_option: ["x"] }] },
      ["a", "b"],
    ],
    ["a variable of any depth", { x: [[{ key: "K", is_credential: true, choice_value: ["a", "b"] }]] }, ["a", "b"]],
    [
      "a repository",
      { repos: [{ codehost_id: 1, oauth_token: "a", password: "b", private_access_token: "c" }] },
      ["a", "b", "c"],
    ],
    ["a hook", { webhook_notification_config: { address: "https://x", token: "a" } }, ["a"]],
    ["an unknown field", { vendor: { apiKey: "a", credentials: [{ secret: { deep: ["b"] } }] } }, ["a", "b"]],
    ["a number", { params: [{ name: "p", is_credential: true, value: 5 }], max_token: 5 }, [5]],
  ];
  test.each(places)("are found in %s", (_, definition, values) => expect(valuesOf(definition)).toEqual(values));

  test("are no open values, empty texts, switches or nulls", () => {
    const open = {
      params: [
        { name: "p", is_credential: false, value: "a" },
        { name: "q", is_credential: true, value: "" },
      ],
    };
    expect(valuesOf({ ...open, token: null, use_secret: true, password: "" })).toEqual([]);
  });

  test("have places of their own, which do not depend on the order of named lists", () => {
    const definition = fc
      .uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 5 })
      .map((names) => ({
        params: names.map((name) => ({ name, is_credential: true, value: name })),
      }));
    fc.assert(
      fc.property(definition, ({ params }) => {
        const places = (list: Tree[]) =>
          new Map(credentialsOf({ params: list }).map(({ location, value }) => [value, location]));
        expect(new Set(places(params).values()).size).toBe(params.length);
        expect(places(params.toReversed())).toEqual(new Map([...places(params)].toReversed()));
      }),
    );
  });

  test("belong to the address that they are presented to", () => {
    const hook = (address: string) => credentialsOf({ hooks: [{ config: { address, token: "a" } }] })[0]?.location;
    expect(hook("https://a")).toBe(hook("https://a"));
    expect(hook("https://a")).not.toBe(hook("https://b"));
  });

  test("are shown as stars, and as nothing in repositories; the rest is not touched", () => {
    const definition = {
      a: [1, null, "x"],
      repo: { codehost_id: 1, oauth_token: "s" },
      p: { is_credential: true, value: "s" },
    };
    expect(showCredentials(definition)).toEqual({
      ...definition,
      repo: { codehost_id: 1, oauth_token: "" },
      p: { is_credential: true, value: "********" },
    });
  });

  test("nothing of any text under a secret's name is left", () => {
    const textsIn = (value: unknown): string[] => {
      if (typeof value === "string") return [value];
      return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const left = textsIn(showCredentials({ password: { in: value } }));
        expect(left.filter((text) => text !== "" && text !== "********")).toEqual([]);
      }),
    );
  });
});
