import { assumeRole } from "../../../base/aws/sts/assumeRole.ts";
import { parseAddress } from "../../../base/outbound/checkedFetch.ts";
import { OutboundRefused } from "../../../base/outbound/outboundErrors.ts";
import type { OutboundPolicy } from "../../../base/settings/outboundPolicy.ts";
import { ClusterCredentialsInvalid, ClusterUnreachable } from "../errors.ts";
import type { ClusterEndpoint } from "./ClusterEndpoint.ts";
import type { AwsCredentials } from "./eksToken.ts";

/** A cluster of Amazon EKS, reached through a role that trusts this platform (decisions 5.2). */
export interface EksAccess {
  region: string;
  clusterName: string;
  roleArn: string;
  /** Proves to the role's owner that the call is made for them. */
  externalId: string;
}

export interface EksDependencies {
  assumeRole(access: EksAccess): Promise<AwsCredentials & { expiration: Date }>;
  describeCluster(access: EksAccess, credentials: AwsCredentials): Promise<{ server: string; authorityBase64: string }>;
  now(): Date;
}

/** EKS takes a token for 15 minutes; a new one is made with time to spare for the slowest call. */
const tokenMinutes = 10;

/**
 * Finds address and authority of the cluster and makes short-lived tokens for it; nothing of it is stored.
 * @throws ClusterCredentialsInvalid when AWS refuses; ClusterUnreachable when AWS does not answer
 */
export async function eksEndpoint(
  access: EksAccess,
  policy: OutboundPolicy,
  dependencies: EksDependencies = awsDependencies,
): Promise<ClusterEndpoint> {
  let credentials: (AwsCredentials & { expiration: Date }) | undefined;
  let token: { text: Promise<string>; until: number } | undefined;

  async function role(): Promise<AwsCredentials> {
    const soon = dependencies.now().getTime() + tokenMinutes * 60_000;
    if (credentials === undefined || credentials.expiration.getTime() < soon)
      credentials = await explained("assume its role", access, () => dependencies.assumeRole(access));
    return credentials;
  }

  const keys = await role();
  const found = await explained("describe it", access, () => dependencies.describeCluster(access, keys));
  return {
    server: serverOf(found.server),
    tls: { ca: Buffer.from(found.authorityBase64, "base64") },
    rule: policy,
    async authorize() {
      const now = dependencies.now();
      if (token === undefined || token.until < now.getTime()) {
        const { region, clusterName } = access;
        const text = Promise.all([import("./eksToken.ts"), role()]).then(([{ eksToken }, keys]) =>
          eksToken({ region, clusterName, credentials: keys }, now),
        );
        token = { text, until: now.getTime() + tokenMinutes * 60_000 };
        text.catch(() => {
          token = undefined;
        });
      }
      return { authorization: `Bearer ${await token.text}` };
    },
  };
}

function serverOf(address: string): URL {
  try {
    return parseAddress(address);
  } catch (error) {
    throw new ClusterCredentialsInvalid(error instanceof OutboundRefused ? error.message : "unreadable server address");
  }
}

async function explained<T>(step: string, access: EksAccess, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const name = error instanceof Error ? error.name : "unknown error";
    const message = `EKS cluster ${access.clusterName} in ${access.region}: cannot ${step}: ${name}`;
    const refused = error instanceof Error && "$fault" in error && error.$fault === "client";
    if (refused)
      throw new ClusterCredentialsInvalid(
        `${message}; check role_arn, external_id and cluster_name, and that the role trusts this installation`,
        { cause: error },
      );
    throw new ClusterUnreachable(message, name, { cause: error });
  }
}

/** The SDK is loaded at the first use: clusters with a kubeconfig do not pay for it. */
const awsDependencies: EksDependencies = {
  assumeRole,
  async describeCluster({ region, clusterName }, credentials) {
    const { DescribeClusterCommand, EKSClient } = await import("./eksSdk.ts");
    const { sessionToken, ...keys } = credentials;
    const eks = new EKSClient({ region, credentials: sessionToken === undefined ? keys : { ...keys, sessionToken } });
    const { cluster } = await eks.send(new DescribeClusterCommand({ name: clusterName }));
    if (cluster?.endpoint === undefined || cluster.certificateAuthority?.data === undefined)
      throw new ClusterCredentialsInvalid(`EKS cluster ${clusterName} has no endpoint yet; wait until it is active`);
    return { server: cluster.endpoint, authorityBase64: cluster.certificateAuthority.data };
  },
  now: () => new Date(),
};
