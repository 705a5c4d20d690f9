import { padded } from "../../../base/store/keys/keys.ts";
import type { BuildDefinition } from "../rules/build/buildDefinition.ts";
import { definitionStore } from "./definitionStore.ts";

/** What the list shows of a build (contract W 10.5). */
export interface BuildSummary {
  name: string;
  updatedBy: string;
  /** Unix seconds. */
  updatedAt: number;
  targets: readonly { serviceName: string; serviceModule: string }[];
}

/** Their names are unique in the installation; the one changed last comes first. */
export const builds = definitionStore<BuildDefinition, BuildSummary>("build", {
  uniqueEverywhere: true,
  descending: true,
  sortKey: ({ updatedAt, name }) => `${padded(updatedAt)}#${name}`,
  summary: ({ name, updatedBy, updatedAt, content }) => ({
    ...{ name, updatedBy, updatedAt },
    targets: content.targets.map(({ serviceName, serviceModule }) => ({ serviceName, serviceModule })),
  }),
});

/** @returns the build as it is stored, without the values of credentials */
export const findBuild = builds.find;
