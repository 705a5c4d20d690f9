import type { StoredText } from "../base/aws/objects/objectStore.ts";
import { ApiError, badRequest } from "../base/errors/apiError.ts";
import { withDigest } from "../packaging/images/rules/imageReference.ts";
import { piecesOf, type VersionService } from "./rules/version.ts";
import type { WholeVersion } from "./store/versions.ts";

/** A service as a version promises it: images of containers as `name:tag@sha256:…`. */
export interface PromisedService {
  name: string;
  yaml: StoredText;
  images: { name: string; image: string; tagged: string }[];
  /** Of a chart: what it renders to. */
  manifest?: StoredText;
}

/**
 * What a version promises, which nothing but a version whose images are all where they belong does.
 * @param names of services; undefined: all of them
 * @throws ApiError 400 while it is not made, for a service that it has not, and for an image without a digest
 */
export function promisedServices(whole: WholeVersion, names?: readonly string[]): PromisedService[] {
  const { version, services } = whole;
  const { name, status } = version;
  if (status === "failed") throw new ApiError(400, `version ${name} has failed; retry it first`);
  if (status !== "success") throw new ApiError(400, `version ${name} is being made; wait until it is over`);
  const known = new Set(services.map((service) => service.name));
  const unknown = (names ?? []).flatMap((asked, at) =>
    known.has(asked)
      ? []
      : [{ in: "body" as const, path: `services[${at}]`, problem: `version ${name} has no ${asked}` }],
  );
  if (unknown.length > 0) throw badRequest(unknown);
  const wanted = piecesOf(whole).filter(({ of }) => names?.includes(of.name) ?? true);
  const unread = wanted.filter(({ state }) => state.digest === "").map(({ what }) => what.targetImage);
  if (unread.length > 0)
    throw new ApiError(
      400,
      `version ${name} has no digest of ${unread.join(", ")}: it could not be read; make a new one`,
    );
  return services
    .filter((service) => names?.includes(service.name) ?? true)
    .map((service) => ({
      name: service.name,
      yaml: service.yaml,
      ...manifestOf(whole, service),
      images: wanted
        .filter(({ of }) => of === service)
        .map(({ what, state }) => ({
          ...{ name: what.container, tagged: what.targetImage },
          image: withDigest(what.targetImage, state.digest),
        })),
    }));
}

function manifestOf({ services, charts }: WholeVersion, service: VersionService): { manifest?: StoredText } {
  const manifest = charts[services.indexOf(service)]?.manifest;
  return manifest === undefined ? {} : { manifest };
}
