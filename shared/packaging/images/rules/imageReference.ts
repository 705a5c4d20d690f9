import { referenceProblem, repositoryProblem } from "./imageNames.ts";

/** An image as people write it, read as container engines read it. */
export interface ImageReference {
  /** `host` or `host:port`; `docker.io` when none is written. */
  host: string;
  repository: string;
  /** Empty when none is written. */
  tag: string;
  digest: string;
}

const dockerHub = "docker.io";
const dockerHubNames = new Set([dockerHub, "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"]);

/** The name by which a host is compared: all names of Docker Hub are one. */
export const hostName = (host: string): string => (dockerHubNames.has(host) ? dockerHub : host);

/** Where the host of a reference is asked. */
export const hostAddress = (host: string): string => (hostName(host) === dockerHub ? "registry-1.docker.io" : host);

/** @returns a sentence where the text is no image reference */
export function readImageReference(text: string): ImageReference | string {
  const [named = "", digest = "", ...more] = text.split("@");
  const tagAt = named.lastIndexOf(":");
  const hasTag = tagAt > named.lastIndexOf("/");
  const name = hasTag ? named.slice(0, tagAt) : named;
  const tag = hasTag ? named.slice(tagAt + 1) : "";
  const [first = "", ...rest] = name.split("/");
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const host = hasHost ? hostName(first.toLowerCase()) : dockerHub;
  const path = hasHost ? rest.join("/") : name;
  const repository = host === dockerHub && !path.includes("/") ? `library/${path}` : path;
  const problem =
    more.length > 0 || (hasTag && tag === "") || (text.includes("@") && digest === "")
      ? "is no image reference"
      : (repositoryProblem(repository, "") ??
        (tag === "" ? undefined : referenceProblem(tag)) ??
        (digest === "" ? undefined : referenceProblem(digest)));
  if (problem === undefined && (hasHost ? /^[a-z0-9.-]+(:\d{1,5})?$/.test(host) : true))
    return { host, repository, tag, digest };
  return `${problem ?? "names no host of a registry"}; write it as registry.example.com/team/app:v1`;
}

/** `app` gives `app:latest@…`; a digest that is there stays, for it is what was checked. */
export function withDigest(image: string, digest: string): string {
  if (image.includes("@")) return image;
  const isTagged = image.indexOf(":", image.lastIndexOf("/") + 1) !== -1;
  return `${image}${isTagged ? "" : ":latest"}@${digest}`;
}
