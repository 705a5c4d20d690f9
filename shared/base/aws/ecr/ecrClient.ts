import type { ECRClientConfig } from "@aws-sdk/client-ecr";
import { assumeRole } from "../sts/assumeRole.ts";

/** As whom ECR is asked: by the keys, else by the function's own role; either may take on `roleArn` first. */
export interface EcrAccess {
  region: string;
  accessKey: string;
  secretKey: string;
  roleArn: string;
  externalId: string;
}

/** The settings of a client of ECR. */
export function ecrSettings({ region, accessKey, secretKey, roleArn, externalId }: EcrAccess): ECRClientConfig {
  const keys = accessKey === "" ? undefined : { accessKeyId: accessKey, secretAccessKey: secretKey };
  const credentials = roleArn === "" ? keys : () => assumeRole({ region, roleArn, externalId, keys });
  return { ...(region !== "" && { region }), ...(credentials && { credentials }) };
}
