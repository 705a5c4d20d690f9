import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  codeHostProviders,
  codeHostTypes,
  findProvider,
  gitVendors,
} from "../../../shared/integrations/rules/codeHosts/providers.ts";
import { deliveryIdOf, isSignedBy, vendorOf } from "../../../shared/workflows/triggers/git/receiveWebhook.ts";

const bytes = Buffer.from('{"ref":"refs/heads/main"}');

/** The headers of a call that a vendor signs with a secret. */
function headersOf(vendor: (typeof gitVendors)[number], secret: string, at = 0): Record<string, string> {
  const { eventHeader, signatureHeader, signatures } = codeHostProviders[vendor].webhook;
  const time = { "x-gitee-timestamp": "1700000000000" };
  const hmac = (data: string | Uint8Array, encoding: "hex" | "base64") =>
    createHmac("sha256", secret).update(data).digest(encoding);
  const sent = signatures({ secret, headers: time, bytes, hmac })[at] ?? "";
  return { ...time, [eventHeader.toLowerCase()]: "push", [signatureHeader.toLowerCase()]: sent };
}

describe.each(gitVendors)("a call of %s", (vendor) => {
  test("is known by its header, also where it sends that of another", () => {
    expect(vendorOf({ headers: headersOf(vendor, "s"), bytes })).toBe(vendor);
    const alike = { ...headersOf("github", "s"), ...headersOf(vendor, "s") };
    expect(vendorOf({ headers: alike, bytes })).toBe(vendor);
  });

  test("is taken with the secret that it is signed with, and with no other", () => {
    const headers = headersOf(vendor, "right");
    expect(isSignedBy("right", vendor, { headers, bytes })).toBe(true);
    expect(isSignedBy("wrong", vendor, { headers, bytes })).toBe(false);
    expect(isSignedBy("right", vendor, { headers: {}, bytes })).toBe(false);
    const { signatureHeader } = codeHostProviders[vendor].webhook;
    expect(isSignedBy("right", vendor, { headers: { ...headers, [signatureHeader.toLowerCase()]: "" }, bytes })).toBe(
      false,
    );
  });

  test("has one id for one call, and another for another", () => {
    const id = deliveryIdOf(vendor, { headers: {}, bytes });
    expect(deliveryIdOf(vendor, { headers: {}, bytes })).toBe(id);
    expect(deliveryIdOf(vendor, { headers: {}, bytes: Buffer.from("{}") })).not.toBe(id);
  });
});

describe.each(codeHostTypes.filter((type) => codeHostProviders[type].api !== undefined))("the API of %s", (type) => {
  test("is asked below the repository, with every part of a name escaped", () => {
    const { api } = codeHostProviders[type];
    if (api === undefined) throw new Error("no API");
    const url = api.url("https://code.example.com/base", ["team", "a%20b"]);
    expect(url).toMatch(/^https:\/\/code\.example\.com\/base\/.*team(?:\/|%2F)a%20b$/);
    const paths = [
      api.file("docs/a b?.md", "x%26y").path,
      api.archive("feature/a&b#c", "charts/a?"),
      api.changedFiles(7, 2),
    ];
    for (const path of paths) expect(new URL(`https://h${path}`).pathname).toMatch(/^\/[^ #?&]+$/);
    expect(new URL(`https://h${paths[0]}`).search).toBe("?ref=x%26y");
    expect(Object.values(api.headers("the-token")).join()).toContain("the-token");
  });
});

test("a type that is none has no provider", () => {
  expect(findProvider("svn")).toBeUndefined();
  expect(findProvider("constructor")).toBeUndefined();
});
