import { describe, expect, it } from "vitest";
import { parseOutboundPolicy } from "../../../../shared/base/settings/outboundPolicy.ts";
import { type EksDependencies, eksEndpoint } from "../../../../shared/kube/client/endpoint/eksEndpoint.ts";
import { eksToken } from "../../../../shared/kube/client/endpoint/eksToken.ts";
import { ClusterCredentialsInvalid, ClusterUnreachable } from "../../../../shared/kube/client/errors.ts";

const access = {
  region: "eu-west-1",
  clusterName: "prod",
  roleArn: "arn:aws:iam::111122223333:role/x",
  externalId: "e",
};
const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret-access-key", sessionToken: "session/+=" };
const policy = parseOutboundPolicy("");

/** The URL that EKS would call to learn who we are. */
function urlIn(token: string): URL {
  expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
  return new URL(Buffer.from(token.slice("k8s-aws-v1.".length), "base64url").toString());
}

function dependencies(change: Partial<EksDependencies> = {}, clock = { now: Date.parse("2026-01-01T00:00:00Z") }) {
  const asked = { role: 0, cluster: 0 };
  const all: EksDependencies = {
    assumeRole: async () => {
      asked.role += 1;
      return { ...credentials, expiration: new Date(clock.now + 3_600_000) };
    },
    describeCluster: async () => {
      asked.cluster += 1;
      return {
        server: "https://abc.gr7.eu-west-1.eks.amazonaws.com",
        authorityBase64: Buffer.from("ca").toString("base64"),
      };
    },
    now: () => new Date(clock.now),
    ...change,
  };
  return { all, asked, clock };
}

describe("an EKS token", () => {
  it("is a presigned GetCallerIdentity of the cluster's region that names the cluster", async () => {
    const url = urlIn(await eksToken({ ...access, credentials }, new Date("2026-01-01T00:00:00Z")));
    expect(url.origin).toBe("https://sts.eu-west-1.amazonaws.com");
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      Action: "GetCallerIdentity",
      Version: "2011-06-15",
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": "AKIDEXAMPLE/20260101/eu-west-1/sts/aws4_request",
      "X-Amz-Date": "20260101T000000Z",
      "X-Amz-Expires": "60",
      "X-Amz-SignedHeaders": "host;x-k8s-aws-id",
      "X-Amz-Security-Token": "session/+=",
    });
    expect(url.searchParams.get("X-Amz-Signature")).toMatch(/^[0-9a-f]{64}$/);
    expect(url.href).not.toContain("secret-access-key");
  });

  it("is signed for one cluster alone", async () => {
    const sign = async (clusterName: string) =>
      urlIn(await eksToken({ ...access, clusterName, credentials }, new Date(0))).searchParams.get("X-Amz-Signature");
    expect(await sign("prod")).toBe(await sign("prod"));
    expect(await sign("prod")).not.toBe(await sign("test"));
  });
});

describe("an EKS cluster", () => {
  it("is reached at its own address with its own authority, through the policy", async () => {
    const endpoint = await eksEndpoint(access, policy, dependencies().all);
    expect(endpoint.server.host).toBe("abc.gr7.eu-west-1.eks.amazonaws.com");
    expect(endpoint.tls).toEqual({ ca: Buffer.from("ca") });
    expect(endpoint.rule).toBe(policy);
  });

  it("gets a new token before the old one ends, and a new role session before that ends", async () => {
    const { all, asked, clock } = dependencies();
    const endpoint = await eksEndpoint(access, policy, all);
    const first = await endpoint.authorize();
    clock.now += 9 * 60_000;
    expect(await endpoint.authorize()).toEqual(first);
    clock.now += 2 * 60_000;
    expect(await endpoint.authorize()).not.toEqual(first);
    expect(asked.role).toBe(1);
    clock.now += 55 * 60_000;
    await endpoint.authorize();
    expect(asked).toEqual({ role: 2, cluster: 1 });
  });

  it("that AWS refuses is an error for good, that AWS cannot tell is not", async () => {
    const failing = (fault: string) => ({
      assumeRole: async () => {
        throw Object.assign(new Error("no"), { name: "AccessDenied", $fault: fault });
      },
    });
    await expect(eksEndpoint(access, policy, dependencies(failing("client")).all)).rejects.toThrow(
      ClusterCredentialsInvalid,
    );
    await expect(eksEndpoint(access, policy, dependencies(failing("client")).all)).rejects.toThrow(
      /role_arn, external_id/,
    );
    await expect(eksEndpoint(access, policy, dependencies(failing("server")).all)).rejects.toThrow(ClusterUnreachable);
  });
});
