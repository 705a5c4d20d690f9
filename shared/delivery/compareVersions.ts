import { unifiedDiff } from "../base/common/unifiedDiff.ts";
import { piecesOf, type VersionService } from "./rules/version.ts";
import { shownYaml } from "./shownYaml.ts";
import type { WholeVersion } from "./store/versions.ts";

export type Change = "added" | "removed" | "changed" | "unchanged";

interface ImageThere {
  image: string;
  digest: string;
}

export interface ServiceDifference {
  name: string;
  change: Change;
  images: { container: string; change: Change; before: ImageThere | undefined; after: ImageThere | undefined }[];
  yamlDiff: string;
}

/** What differs between two versions, service by service in the order of the first one. */
export async function compareVersions(before: WholeVersion, after: WholeVersion): Promise<ServiceDifference[]> {
  const sides = [sideOf(before), sideOf(after)] as const;
  const names = new Set(sides.flatMap((side) => [...side.keys()]));
  return Promise.all(
    [...names].map(async (name) => {
      const [old, new_] = [sides[0].get(name), sides[1].get(name)];
      const yamlDiff = unifiedDiff(await yamlOf(old), await yamlOf(new_), {
        before: `${before.version.name}/${name}`,
        after: `${after.version.name}/${name}`,
      });
      const containers = new Set([...(old?.images.keys() ?? []), ...(new_?.images.keys() ?? [])]);
      const images = [...containers].map((container) => {
        const [one, other] = [old?.images.get(container), new_?.images.get(container)];
        const isSame = one?.image === other?.image && one?.digest === other?.digest;
        return { container, change: changeOf(one, other, isSame), before: one, after: other };
      });
      const isSame = yamlDiff === "" && images.every(({ change }) => change === "unchanged");
      return { name, change: changeOf(old, new_, isSame), images, yamlDiff };
    }),
  );
}

interface Side {
  service: VersionService;
  images: Map<string, ImageThere>;
}

function sideOf(whole: WholeVersion): Map<string, Side> {
  const pieces = piecesOf(whole);
  return new Map(
    whole.services.map((service) => {
      const own = pieces.filter(({ of }) => of === service);
      const images = own.map(
        ({ what, state: { digest } }) => [what.container, { image: what.targetImage, digest }] as const,
      );
      return [service.name, { service, images: new Map(images) }];
    }),
  );
}

function changeOf(before: unknown, after: unknown, isSame: boolean): Change {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  return isSame ? "unchanged" : "changed";
}

async function yamlOf(side: Side | undefined): Promise<string> {
  return side === undefined ? "" : shownYaml(side.service);
}
