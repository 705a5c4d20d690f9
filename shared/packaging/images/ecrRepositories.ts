import { type EcrAccess, ecrSettings } from "../../base/aws/ecr/ecrClient.ts";
import { ImageProblem } from "./imageProblem.ts";

/** An ECR that images are copied to: as whom it is asked, and how repositories are made in it. */
export interface EcrTarget extends EcrAccess {
  scanOnPush: boolean;
  immutableTags: boolean;
}

export interface EcrRepositories {
  /** Which of these blobs a repository has. It is made when it is missing (decisions 14.8). @throws ImageProblem */
  findBlobs(repository: string, digests: readonly string[]): Promise<Set<string>>;
}

/** As many digests as ECR takes in one question. */
const maxDigests = 100;

/** The SDK is loaded when the first image goes to an ECR. */
export async function openEcrRepositories(address: string, target: EcrTarget): Promise<EcrRepositories> {
  const { BatchCheckLayerAvailabilityCommand, CreateRepositoryCommand, ECRClient } = await import("./ecrTargetSdk.ts");
  const client = new ECRClient(ecrSettings(target));
  // The account that the address names, which a role or keys of another one may write to as well.
  const registryId = /^(\d{12})\.dkr\./.exec(address)?.[1];

  async function available(repositoryName: string, layerDigests: string[]): Promise<string[]> {
    const { layers = [] } = await client.send(
      new BatchCheckLayerAvailabilityCommand({ registryId, repositoryName, layerDigests }),
    );
    return layers.flatMap(({ layerDigest = "", layerAvailability }) =>
      layerAvailability === "AVAILABLE" ? [layerDigest] : [],
    );
  }

  async function make(repositoryName: string): Promise<void> {
    try {
      await client.send(
        new CreateRepositoryCommand({
          registryId,
          repositoryName,
          imageScanningConfiguration: { scanOnPush: target.scanOnPush },
          imageTagMutability: target.immutableTags ? "IMMUTABLE" : "MUTABLE",
        }),
      );
    } catch (error) {
      // Another process was faster.
      if (nameOf(error) !== "RepositoryAlreadyExistsException")
        throw refused(error, repositoryName, "make this repository", "ecr:CreateRepository, or make it there");
    }
  }

  function refused(error: unknown, repository: string, what: string, right: string): ImageProblem {
    const text = `${address}/${repository}: ECR in ${target.region} does not let Slipway ${what} (${nameOf(error)})`;
    const isTheirs = error instanceof Error && "$fault" in error && error.$fault === "client";
    const retryable = !isTheirs || nameOf(error) === "ThrottlingException";
    return new ImageProblem(retryable ? `${text}; try again later` : `${text}; allow ${whose(target)} ${right}`, {
      retryable,
      cause: error,
    });
  }

  return {
    async findBlobs(repository, digests) {
      const found = new Set<string>();
      for (let at = 0; at < digests.length; at += maxDigests) {
        try {
          for (const digest of await available(repository, digests.slice(at, at + maxDigests))) found.add(digest);
        } catch (error) {
          if (nameOf(error) !== "RepositoryNotFoundException")
            throw refused(error, repository, "look for layers", "ecr:BatchCheckLayerAvailability");
          await make(repository);
          return found;
        }
      }
      return found;
    },
  };
}

function whose({ roleArn, accessKey }: EcrAccess): string {
  if (roleArn !== "") return `the role ${roleArn}`;
  return accessKey === "" ? "the platform's own role" : "the owner of access_key";
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "unknown error");
