import * as z from "zod";
import { type Digest, parseDigest } from "./digest.ts";
import { RegistryError } from "./registryError.ts";

const digest = z.string().transform((text, context): Digest => {
  const parsed = parseDigest(text);
  if (parsed) return parsed;
  context.addIssue({ code: "custom", message: "must be a sha256 or sha512 digest" });
  return z.NEVER;
});

const descriptor = z.object({ mediaType: z.string().min(1), digest, size: z.int().nonnegative() });

/** Go programs write an empty list as null. */
const descriptors = z
  .array(descriptor)
  .nullable()
  .transform((list) => list ?? []);

const common = {
  schemaVersion: z.literal(2),
  mediaType: z.string().optional(),
  artifactType: z.string().optional(),
  subject: descriptor.nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
};

const image = z.object({ ...common, config: descriptor, layers: descriptors });
const index = z.object({ ...common, manifests: descriptors });

export const OCI_INDEX = "application/vnd.oci.image.index.v1+json";

const IMAGE_TYPES = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];
const INDEX_TYPES = [OCI_INDEX, "application/vnd.docker.distribution.manifest.list.v2+json"];

/** Layers that by their licence stay where they are; they are named in a manifest but need not be in the registry. */
const ELSEWHERE = /^application\/vnd\.(oci\.image\.layer\.nondistributable\.|docker\.image\.rootfs\.foreign\.)/;

/** What the registry needs to know about a manifest; `references` must be there before it is accepted. */
export type ManifestDocument = {
  mediaType: string;
  artifactType?: string;
  subject?: Digest;
  annotations?: Record<string, string>;
  references: Digest[];
};

/** Reads a manifest as pushed with the given `Content-Type`. What is not a manifest is MANIFEST_INVALID (400). */
export function parseManifest(bytes: Buffer, contentType: string | undefined): ManifestDocument {
  const json = parseJson(bytes);
  const declared = z.object({ mediaType: z.string() }).safeParse(json).data?.mediaType;
  const sent = contentType?.split(";")[0]?.trim().toLowerCase();
  const mediaType = sent || declared || "";
  if (declared !== undefined && declared !== mediaType) {
    throw invalid(`mediaType ${declared} of the manifest is not the Content-Type ${mediaType}`);
  }
  if (IMAGE_TYPES.includes(mediaType)) return describeImage(mediaType, check(image, json));
  if (INDEX_TYPES.includes(mediaType)) return describeIndex(mediaType, check(index, json));
  throw invalid(`media type ${mediaType || "(none)"} is not one of ${[...IMAGE_TYPES, ...INDEX_TYPES].join(", ")}`);
}

function describeImage(mediaType: string, manifest: z.infer<typeof image>): ManifestDocument {
  const layers = manifest.layers.filter((layer) => !ELSEWHERE.test(layer.mediaType));
  const artifactType = manifest.artifactType || manifest.config.mediaType;
  return { mediaType, artifactType, ...described(manifest), references: digestsOf([manifest.config, ...layers]) };
}

function describeIndex(mediaType: string, list: z.infer<typeof index>): ManifestDocument {
  const artifactType = list.artifactType ? { artifactType: list.artifactType } : {};
  return { mediaType, ...artifactType, ...described(list), references: digestsOf(list.manifests) };
}

function described(document: z.infer<typeof image> | z.infer<typeof index>) {
  return {
    ...(document.subject ? { subject: document.subject.digest } : {}),
    ...(document.annotations ? { annotations: document.annotations } : {}),
  };
}

function digestsOf(list: readonly z.infer<typeof descriptor>[]): Digest[] {
  return [...new Map(list.map((entry) => [entry.digest.text, entry.digest])).values()];
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw invalid("the manifest is not JSON");
  }
}

function check<Schema extends z.ZodType>(schema: Schema, json: unknown): z.infer<Schema> {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  throw new RegistryError("MANIFEST_INVALID", "manifest invalid", {
    details: result.error.issues.slice(0, 20).map(({ path, message }) => ({ path: path.join("."), message })),
  });
}

function invalid(message: string): RegistryError {
  return new RegistryError("MANIFEST_INVALID", message);
}
