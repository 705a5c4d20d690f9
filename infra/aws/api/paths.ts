import type { Group } from "../../../functions/api/groups.ts";

/** A place in the API's tree of resources and the group that answers there and below. */
export interface Place {
  /** Segments from the root, none for the root itself. */
  segments: readonly string[];
  group: string;
}

/**
 * Every node on the way to a group's prefix, parents before children. Nodes between prefixes belong to the group that
 * the longest prefix gives them, so that the gateway never has to go back up the tree to find an answer.
 */
export function placesOf(groups: readonly Pick<Group, "name" | "prefixes">[]): Place[] {
  const prefixes = groups.flatMap(({ name, prefixes: own }) =>
    own.map((prefix) => ({ name, segments: segmentsOf(prefix) })),
  );
  const paths = new Map<string, readonly string[]>();
  for (const { segments } of prefixes)
    for (let length = 0; length <= segments.length; length++) {
      const way = segments.slice(0, length);
      paths.set(way.join("/"), way);
    }
  return [...paths.values()]
    .sort((a, b) => a.length - b.length || (a.join("/") < b.join("/") ? -1 : 1))
    .map((segments) => ({ segments, group: ownerOf(segments, prefixes) }));
}

function ownerOf(path: readonly string[], prefixes: readonly { name: string; segments: readonly string[] }[]): string {
  const fitting = prefixes.filter(({ segments }) => segments.every((segment, at) => path[at] === segment));
  const longest = fitting.sort((a, b) => b.segments.length - a.segments.length)[0];
  if (longest === undefined)
    throw new Error(`no endpoint group answers /${path.join("/")}; one must have the prefix /`);
  return longest.name;
}

function segmentsOf(prefix: string): string[] {
  return prefix.split("/").filter((segment) => segment !== "");
}
