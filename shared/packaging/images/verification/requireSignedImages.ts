import type { ImagePlace } from "../copy/imageCopier.ts";
import { ImageProblem } from "../imageProblem.ts";
import { placesOfImages } from "../placesOfImages.ts";
import { openRegistryLine, type RegistryLine } from "../registryLine.ts";
import { withDigest } from "../rules/imageReference.ts";
import { settled } from "../settled.ts";
import { manifestOf } from "../sourceImage.ts";
import { readSignatures } from "./readSignatures.ts";
import type { Verification } from "./rules/verification.ts";
import { findVerification } from "./store/verifications.ts";

/** Images are refused; the message is for users and names each with its reason. */
export class ImagesRefused extends Error {
  override readonly name = "ImagesRefused";
}

/** Callers of the API wait for it. */
const maxSeconds = 20;
const limitPerRegistry = 8;

/**
 * Images with the digest that was checked, as `name:tag@sha256:…`, so that what runs is what was signed (contract decisions
 * 14.10). Where the project demands no signatures, images are as they were given and no registry is asked.
 * @param images as they stand in manifests
 * @param known what the project demands, where the caller has read it
 * @throws ImagesRefused
 */
export async function requireSignedImages(
  projectKey: string,
  images: readonly string[],
  known?: Verification,
): Promise<ReadonlyMap<string, string>> {
  const wanted = known ?? (await findVerification(projectKey));
  const different = [...new Set(images)];
  if (!wanted.enabled || different.length === 0) return new Map(different.map((image) => [image, image]));
  const signal = AbortSignal.timeout(maxSeconds * 1000);
  const lines = new Map<string, RegistryLine>();
  const lineTo = ({ registry }: ImagePlace): RegistryLine => {
    const line = lines.get(registry.id) ?? openRegistryLine(registry, { limit: limitPerRegistry, signal });
    lines.set(registry.id, line);
    return line;
  };
  const refused: string[] = [];
  try {
    const placeOf = await placesOfImages();
    const pinned = await settled(
      different.map((image) => async () => {
        const checked = await check(await placeOf(image), lineTo, wanted, signal);
        if ("problem" in checked) refused.push(`image ${image} is refused: ${checked.problem}`);
        return [image, "digest" in checked ? withDigest(image, checked.digest) : image] as const;
      }),
    );
    if (refused.length > 0) throw new ImagesRefused(refused.sort().join("; "));
    return new Map(pinned);
  } finally {
    for (const line of lines.values()) line.close();
  }
}

async function check(
  place: ImagePlace | undefined,
  lineTo: (place: ImagePlace) => RegistryLine,
  wanted: Verification,
  signal: AbortSignal,
): Promise<{ digest: string } | { problem: string }> {
  if (place === undefined) return { problem: "it is no name of an image; write host/repository:tag" };
  const { repository, reference } = place;
  try {
    const source = { line: lineTo(place), repository };
    const manifest = await manifestOf(source, reference);
    const found = await readSignatures(source, manifest.digest);
    // Loaded by those alone who verify.
    const { signaturesProblem } = await import("./checkSignatures.ts");
    const problem = await signaturesProblem(found, manifest, wanted);
    if (problem === undefined) return { digest: manifest.digest };
    return { problem: `${problem} (${manifest.digest}); sign it ${shown(wanted)}, then try again` };
  } catch (error) {
    if (error instanceof ImageProblem) return { problem: `its signatures cannot be read: ${error.message}` };
    if (signal.aborted) return { problem: `its registry did not answer within ${maxSeconds} seconds; try again later` };
    throw error;
  }
}

function shown({ publicKey, certificateIdentity, certificateOidcIssuer }: Verification): string {
  if (publicKey !== "") return "with the key of the project";
  return `as ${certificateIdentity} of ${certificateOidcIssuer}`;
}
