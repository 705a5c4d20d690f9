/** What an image reference says, as it is written. */
export interface ImageParts {
  /** `host` or `host:port`; empty where none is named. */
  host: string;
  /** Below the host: `team/app`. */
  repository: string;
  /** Empty when none is named. */
  tag: string;
  digest: string;
}

/** The parts of a reference; `reg.io:5000/team/app:v1@sha256:…` names all four. */
export function imageParts(reference: string): ImageParts {
  const [named = "", digest = ""] = reference.split("@");
  const colon = named.lastIndexOf(":");
  const hasTag = colon > named.lastIndexOf("/");
  const [name, tag] = hasTag ? [named.slice(0, colon), named.slice(colon + 1)] : [named, ""];
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  // As registries have it: a first part is a host when it could be one and no name of a repository.
  const host = /[.:]/.test(first) || first === "localhost" ? first : "";
  return { host, repository: host === "" ? name : name.slice(slash + 1), tag, digest };
}

/** What an image is found by: the reference as it is written, and where it names a digest that, and the reference without it. */
export function imageNames(reference: string): string[] {
  const { tag, digest } = imageParts(reference);
  if (digest === "") return [reference];
  return [reference, digest, ...(tag === "" ? [] : [reference.slice(0, reference.indexOf("@"))])];
}
