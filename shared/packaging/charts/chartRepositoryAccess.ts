import { operatorPolicy } from "../../base/outbound/operatorPolicy.ts";
import type { ChartRepository } from "../../integrations/store/chartRepositories.ts";
import { registryLogin } from "../../kube/apply/registryLogin.ts";
import { ImageProblem } from "../images/imageProblem.ts";
import type { RegistryAccess } from "../images/registryAccess.ts";

/** How a registry of charts is reached and logged in to; of ECR as its registries of images are. */
export function chartRepositoryAccess(
  id: string,
  { url: address, type, username }: ChartRepository,
  password: string,
): RegistryAccess {
  const url = new URL(address.replace(/^oci:/i, "https:"));
  const region = /\.dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\./.exec(url.host)?.[1] ?? "";
  const credentials = { id: `chart-repository:${id}`, address, region, accessKey: username, secretKey: password };
  const policy = operatorPolicy();
  return {
    id: credentials.id,
    address: url.host,
    scheme: url.protocol === "http:" ? "http:" : "https:",
    namespace: url.pathname.replace(/^\/+|\/+$/g, ""),
    rule: policy,
    elsewhere: policy,
    tls: {},
    login: async () => {
      try {
        return await registryLogin({ ...credentials, provider: type === "ecr" ? "ecr" : "native" });
      } catch (error) {
        if (type !== "ecr") throw error;
        const reason = error instanceof Error ? error.name : "unknown error";
        const whose =
          username === "" ? "what the platform's own role may" : "username and password, an access key of AWS";
        throw new ImageProblem(
          `ECR in ${region || "the platform's region"} gives no login (${reason}); check ${whose}`,
          {
            retryable: true,
            cause: error,
          },
        );
      }
    },
    // Repositories that are missing are made when a chart is pushed, as those of images are.
    ...(type === "ecr" && {
      ecr: async () => ({
        ...{ region, accessKey: username, secretKey: password, roleArn: "", externalId: "" },
        ...{ scanOnPush: true, immutableTags: false },
      }),
    }),
    advice: { login: "a username and password", trust: "mend the certificate: a public authority must have signed it" },
  };
}
