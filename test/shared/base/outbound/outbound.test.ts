import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkAddress } from "../../../../shared/base/outbound/checkAddress.ts";
import { checkedFetch } from "../../../../shared/base/outbound/checkedFetch.ts";
import { outboundAgent } from "../../../../shared/base/outbound/outboundAgent.ts";
import { OutboundFailed, OutboundRefused } from "../../../../shared/base/outbound/outboundErrors.ts";
import { pinnedLookup } from "../../../../shared/base/outbound/pinnedLookup.ts";
import { classifyAddress } from "../../../../shared/base/settings/addressClass.ts";
import { parseOutboundPolicy } from "../../../../shared/base/settings/outboundPolicy.ts";

const nothing = parseOutboundPolicy("");
const local = parseOutboundPolicy("127.0.0.0/8, 10.0.0.0/8, registry.corp");

describe("addresses", () => {
  it.each([
    ["169.254.169.254"],
    ["0.0.0.0"],
    ["224.0.0.1"],
    ["255.255.255.255"],
    ["100.100.100.200"],
    ["168.63.129.16"],
    ["::"],
    ["fe80::1"],
    ["fe80::1%eth0"],
    ["ff02::1"],
    ["fd00:ec2::254"],
    ["::ffff:10.0.0.1"],
    ["::ffff:7f00:1"],
    ["0:0:0:0:0:ffff:8.8.8.8"],
    ["64:ff9b::a00:1"],
    ["2002:a00:1::"],
    ["::10.0.0.1"],
  ])("%s is refused even when everything is allowed", (address) => {
    const everything = parseOutboundPolicy("0.0.0.0/0, ::/0");
    expect(checkAddress(everything, { host: address, address, scheme: "https:" })).toBeInstanceOf(OutboundRefused);
  });

  it.each([
    ["127.0.0.1"],
    ["10.1.2.3"],
    ["172.31.0.1"],
    ["192.168.1.1"],
    ["100.64.0.1"],
    ["::1"],
    ["fc00::1"],
    ["4000::1"],
  ])("%s is refused unless its range is allowed", (address) => {
    const check = (policy: string) =>
      checkAddress(parseOutboundPolicy(policy), { host: address, address, scheme: "https:" });
    expect(check("")?.message).toContain("SLIPWAY_OUTBOUND_ALLOW");
    expect(check(address)).toBeUndefined();
  });

  it("public addresses pass with https and need permission for http", () => {
    for (const address of ["8.8.8.8", "2606:4700::1111"]) {
      expect(checkAddress(nothing, { host: address, address, scheme: "https:" })).toBeUndefined();
      expect(checkAddress(nothing, { host: address, address, scheme: "http:" })?.message).toContain("use https");
      expect(checkAddress(parseOutboundPolicy(address), { host: address, address, scheme: "http:" })).toBeUndefined();
    }
  });

  it("an IPv4 address written as IPv6 is never let through", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        for (const spelled of [`::ffff:${address}`, `::ffff:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`])
          expect(classifyAddress(spelled).kind).toBe("refused");
      }),
    );
  });
});

describe("the allow list", () => {
  it("names every entry that is no range, address or name", () => {
    expect(() => parseOutboundPolicy("10.0.0.0/8, 10.0.0.0/33, bad name, 1.2.3, a/b")).toThrow(
      /"10.0.0.0\/33", "bad name", "1.2.3", "a\/b"/,
    );
  });

  it("a name that is allowed may resolve to a private address, another one may not", () => {
    const target = { address: "192.168.3.4", scheme: "https:" } as const;
    expect(checkAddress(local, { ...target, host: "Registry.corp" })).toBeUndefined();
    expect(checkAddress(local, { ...target, host: "evil.example" })).toBeInstanceOf(OutboundRefused);
  });

  it("a name that is allowed may not resolve to a metadata address", () => {
    const target = { host: "registry.corp", address: "169.254.169.254", scheme: "https:" } as const;
    expect(checkAddress(local, target)).toBeInstanceOf(OutboundRefused);
  });
});

describe("lookup", () => {
  const resolvesTo = (...addresses: string[]) =>
    pinnedLookup(nothing, "https:", (_host, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      ),
    );

  it("hands over only the addresses that passed", async () => {
    const found = await new Promise((resolve, reject) =>
      resolvesTo("10.0.0.1", "8.8.8.8")("mixed.example", { all: true }, (error, list) =>
        error ? reject(error) : resolve(list),
      ),
    );
    expect(found).toEqual([{ address: "8.8.8.8", family: 4 }]);
  });

  it("fails naming host and address when none passed", async () => {
    const failure = new Promise((_resolve, reject) =>
      resolvesTo("10.0.0.1")("rebound.example", {}, (error) => reject(error)),
    );
    await expect(failure).rejects.toThrow("rebound.example (10.0.0.1): a private address is not allowed");
  });
});

describe("requests", () => {
  let server: Server;
  let base: string;
  let visits: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      visits.push(request.url ?? "");
      if (request.url === "/redirect") return response.writeHead(302, { location: `${base}/target` }).end();
      if (request.url === "/long") return response.end(Buffer.alloc(2_000_000));
      if (request.url === "/never") return;
      response.end("hello");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it("reach an allowed address", async () => {
    const answer = await checkedFetch(local, `${base}/`);
    expect([answer.status, answer.body.toString()]).toEqual([200, "hello"]);
  });

  it("send nothing to an address that is not allowed, in whatever spelling", async () => {
    visits = [];
    const port = new URL(base).port;
    for (const host of ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])
      await expect(checkedFetch(nothing, `http://${host}:${port}/`)).rejects.toBeInstanceOf(OutboundRefused);
    expect(visits).toEqual([]);
  });

  it("connect to the address that was checked, not to a second resolution", async () => {
    let asked = 0;
    const { port } = new URL(base);
    const agent = outboundAgent(local, "http:", {}, (_host, _options, done) => {
      asked += 1;
      done(null, [{ address: "127.0.0.1", family: 4 }]);
    });
    const { request } = await import("node:http");
    const status = await new Promise((resolve, reject) =>
      request({ host: "name.invalid", port, agent, path: "/" }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on("error", reject)
        .end(),
    );
    agent.destroy();
    expect([status, asked]).toEqual([200, 1]);
  });

  it("do not follow redirects", async () => {
    visits = [];
    const answer = await checkedFetch(local, `${base}/redirect`);
    expect([answer.status, visits]).toEqual([302, ["/redirect"]]);
  });

  it("stop reading at the limit of bytes", async () => {
    await expect(checkedFetch(local, `${base}/long`, { maxBytes: 1000 })).rejects.toThrow("longer than 1000 bytes");
  });

  it("stop waiting at the limit of time", async () => {
    const failure = await checkedFetch(local, `${base}/never`, { timeoutSeconds: 0.1 }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(OutboundFailed);
    expect(failure).toMatchObject({ code: "ETIMEDOUT" });
  });

  it("refuse other schemes and credentials in the address", async () => {
    for (const address of [
      "file:///etc/passwd",
      "ftp://example.com",
      "not an address",
      "https://user:secret@example.com",
    ]) {
      const failure = await Promise.resolve()
        .then(() => checkedFetch(nothing, address))
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(OutboundRefused);
      expect(String(failure)).not.toContain("secret");
    }
  });
});
