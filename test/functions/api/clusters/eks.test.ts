import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { selfSignedCertificate } from "../../../../infra/local/cluster/http/certificate.ts";
import { type ClusterCalls, type Refusal, type Shown, startForClusters } from "./clusterCalls.ts";
import { oneNamespace, serve } from "./clusterFixtures.ts";

let slipway: ClusterCalls;

beforeAll(async () => {
  slipway = await startForClusters();
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "AKIATEST", AWS_SECRET_ACCESS_KEY: "test" });
});

afterAll(() => slipway.close());

const eks = {
  region: "eu-central-1",
  cluster_name: "production",
  role_arn: "arn:aws:iam::123456789012:role/deployer",
  external_id: "external-4711",
};
const wanted = { name: "eks", type: "kubeconfig", provider: 4, eks };

const assumed = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
  <AccessKeyId>ASIATEST</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken>
  <Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
const denied = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>
  <Code>AccessDenied</Code><Message>not authorized</Message></Error></ErrorResponse>`;

/** STS and EKS of AWS with one cluster, for the test that starts them. */
async function startAws(options: { denies?: boolean } = {}): Promise<{ asked: string[]; tokens: string[] }> {
  const asked: string[] = [];
  const tokens: string[] = [];
  const identity = selfSignedCertificate("eks");
  const api = await serve((request, response) => {
    tokens.push(request.headers.authorization ?? "");
    return oneNamespace(request, response);
  }, identity);
  const sts = await serve(async (request, response) => {
    asked.push(await textOf(request));
    response.writeHead(options.denies === true ? 403 : 200, { "content-type": "text/xml" });
    response.end(options.denies === true ? denied : assumed);
  });
  const describer = await serve((request, response) => {
    asked.push(request.url ?? "");
    const data = Buffer.from(identity.certificate).toString("base64");
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ cluster: { endpoint: api.url, certificateAuthority: { data } } }));
  });
  Object.assign(process.env, { AWS_ENDPOINT_URL_STS: sts.url, AWS_ENDPOINT_URL_EKS: describer.url });
  onTestFinished(() => {
    delete process.env.AWS_ENDPOINT_URL_STS;
    delete process.env.AWS_ENDPOINT_URL_EKS;
  });
  return { asked, tokens };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return decodeURIComponent(Buffer.concat(parts).toString());
}

describe("an EKS cluster", () => {
  test("is reached through its role with short-lived tokens, and nothing of them is stored", async () => {
    const { asked, tokens } = await startAws();
    const answer = await slipway.post<{ cluster: Shown }>(wanted);
    expect(answer.json.cluster, answer.text).toMatchObject({
      provider: 4,
      provider_name: "Amazon EKS",
      type: "kubeconfig",
      status: "normal",
    });
    expect(asked[0]).toContain(`RoleArn=${eks.role_arn}`);
    expect(asked[0]).toContain(`ExternalId=${eks.external_id}`);
    expect(asked[1]).toBe("/clusters/production");
    expect(tokens).toEqual([expect.stringMatching(/^Bearer k8s-aws-v1\./)]);
    expect((await slipway.istio(answer.json.cluster.cluster_id)).status).toBe(200);
    expect(answer.text).not.toContain(eks.external_id);
  });

  test("whose role AWS does not give is refused with what to check", async () => {
    await startAws({ denies: true });
    const { extra } = await slipway.refused({ ...wanted, name: "denied" });
    expect(extra.problems).toEqual([
      { in: "body", path: "eks", problem: expect.stringMatching(/cannot assume its role: AccessDenied.*role_arn/) },
    ]);
  });

  test.each<[string, object, string[]]>([
    ["another provider", { provider: 0 }, ["eks"]],
    ["a kubeconfig beside it", { kube_config: "apiVersion: v1" }, ["eks"]],
    [
      "values of another form",
      { eks: { region: "x@evil.example.com/", cluster_name: "../x", role_arn: "role", external_id: "" } },
      ["eks.cluster_name", "eks.external_id", "eks.region", "eks.role_arn"],
    ],
  ])("with %s is refused before AWS is asked", async (_, more, fields) => {
    const { asked } = await startAws();
    const refusal: Refusal = await slipway.refused({ ...wanted, name: "wrong", ...more });
    expect(refusal.extra.problems?.map(({ path }) => path).sort()).toEqual(fields);
    expect(asked).toEqual([]);
  });
});
