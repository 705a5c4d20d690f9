import { describe, expect, it } from "vitest";
import { pullSecret } from "../../../../shared/kube/apply/pullSecret.ts";
import { registryLogin } from "../../../../shared/kube/apply/registryLogin.ts";

const registry = {
  id: "r1",
  address: "https://registry.example.com/",
  provider: "harbor",
  accessKey: "ak",
  secretKey: "sk",
};

describe("a registry's login", () => {
  it("is its keys, unless the provider says otherwise", async () => {
    expect(await registryLogin(registry)).toEqual({ username: "ak", password: "sk" });
    expect(await registryLogin({ ...registry, accessKey: "", secretKey: "" })).toBeUndefined();
  });

  it("of swr is signed", async () => {
    const login = await registryLogin({ ...registry, provider: "swr", region: "cn-north-4" });
    // printf ak | openssl dgst -sha256 -hmac sk
    expect(login).toEqual({
      username: "cn-north-4@ak",
      password: "afd7a0438b607ac8271fff732b69b78ab54f0a15a02e335576b134a588cd275c",
    });
  });

  it("of ecr is asked for once in two hours, and again when the keys change", async () => {
    let asked = 0;
    let time = 0;
    const ecr = async () => ({ username: "AWS", password: `token-${++asked}` });
    const ask = (accessKey = "ak") => registryLogin({ ...registry, provider: "ecr", accessKey }, ecr, () => time);
    expect([await ask(), await ask()]).toEqual([
      { username: "AWS", password: "token-1" },
      { username: "AWS", password: "token-1" },
    ]);
    expect(await ask("other")).toMatchObject({ password: "token-2" });
    time = 2 * 3_600_000;
    expect(await ask()).toMatchObject({ password: "token-3" });
  });
});

describe("the pull secret", () => {
  it("names the registry's host and holds nothing for an open one", () => {
    const content = (login: Parameters<typeof pullSecret>[2]) => {
      const { data } = pullSecret("shop", registry.address, login);
      const text = typeof data === "object" && data !== null && ".dockercfg" in data ? String(data[".dockercfg"]) : "";
      return JSON.parse(Buffer.from(text, "base64").toString());
    };
    const auth = Buffer.from("u:p").toString("base64");
    expect(content({ username: "u", password: "p" })).toEqual({
      "registry.example.com": { username: "u", password: "p", email: "", auth },
    });
    expect(content(undefined)).toEqual({});
  });
});
