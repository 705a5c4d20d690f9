/** What the SDK asks for: who a call is made as. */
interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/**
 * Replaces the SDK's chain of credential sources in a bundle: a Lambda function has its role's credentials in its
 * environment and nowhere else, and profiles, sign-in pages and metadata services would be a sixth of the code shipped.
 */
export const defaultProvider = () => async (): Promise<Credentials> => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error("the environment holds no AWS credentials: this code was bundled for AWS Lambda");
  const { AWS_SESSION_TOKEN: sessionToken } = process.env;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
};
