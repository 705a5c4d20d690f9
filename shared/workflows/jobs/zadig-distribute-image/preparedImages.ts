import { ownerOf } from "../../../delivery/ownerOf.ts";
import { referenceProblem, repositoryProblem } from "../../../packaging/images/rules/imageNames.ts";
import { readImageReference } from "../../../packaging/images/rules/imageReference.ts";
import { imagePrefix } from "../../../packaging/registries/imagePrefix.ts";
import { listRegistries, type RegistrySummary } from "../../../packaging/registries/store/registries.ts";
import { type DistributedImage, type DistributeRun, sourceTagMark } from "./planner.ts";

/** An image of which everything is known that can be known without asking a registry. */
export interface PreparedImage extends DistributedImage {
  /** Empty: its host is not registered. */
  sourceRegistryId: string;
  targetImage: string;
}

/** @returns sentences where images cannot be copied as the job says */
export async function preparedImages(run: DistributeRun): Promise<PreparedImage[] | { problems: string[] }> {
  const { registries } = await listRegistries();
  const target = registries.find(({ registryId }) => registryId === run.targetRegistryId);
  if (target === undefined) return { problems: [`registry ${run.targetRegistryId} does not exist any more`] };
  const all = run.images.map((image) => prepared(run, image, target, registries));
  const problems = all.flatMap((one) => (typeof one === "string" ? [one] : []));
  const images = all.filter((one) => typeof one !== "string");
  if (problems.length > 0) return { problems };
  const twice = images.find((one) =>
    images.some((other) => other.targetImage === one.targetImage && other.sourceImage !== one.sourceImage),
  );
  if (twice === undefined) return images;
  return { problems: [`several images would be copied to ${twice.targetImage}; give them tags of their own`] };
}

function prepared(
  { sourceRegistryId, imagesFrom }: DistributeRun,
  image: DistributedImage,
  target: RegistrySummary,
  registries: readonly RegistrySummary[],
): PreparedImage | string {
  const { service, module, sourceImage } = image;
  const what = `${service}/${module}`;
  if (sourceImage === "") return `${what}: job ${imagesFrom} gave no image`;
  const read = readImageReference(sourceImage);
  if (typeof read === "string") return `${what}: ${sourceImage} ${read}`;
  const named = ownerOf(
    sourceImage,
    registries.filter(({ registryId }) => registryId === sourceRegistryId),
  );
  const owner = "registryId" in named && named.registryId !== "" ? named : ownerOf(sourceImage, registries);
  if ("problem" in owner) return `${what}: ${owner.problem}`;
  const sourceTag = read.tag || (read.digest === "" ? "latest" : "");
  const targetTag = image.targetTag === "" ? sourceTag : image.targetTag.replaceAll(sourceTagMark, sourceTag);
  if (targetTag === "") return `${what}: ${sourceImage} has no tag; set update_tag and target_tag`;
  if (targetTag.startsWith("sha256:") || referenceProblem(targetTag) !== undefined)
    return `${what}: the tag of the copy would be ${targetTag}, which is none (letters, digits, _ . -, at most 128)`;
  const name = nameBelow(
    read.repository,
    registries.find(({ registryId }) => registryId === owner.registryId),
  );
  const targetImage = `${imagePrefix(target)}/${name}:${targetTag}`;
  const problem = repositoryProblem(name, "");
  if (problem !== undefined) return `${what}: the copy would be ${targetImage}, whose name ${problem}`;
  return { ...image, targetTag, targetImage, sourceRegistryId: owner.registryId };
}

/** What the image is called in its registry; of a public one the last part. */
function nameBelow(repository: string, source: RegistrySummary | undefined): string {
  if (source === undefined) return repository.slice(repository.lastIndexOf("/") + 1);
  const [, ...space] = imagePrefix(source).split("/");
  return repository.slice([...space, ""].join("/").length);
}
