import type { Values } from "../../packaging/helm/rules/mergeValues.ts";
import { parseValuePath, valueAt, withValueAt } from "../../packaging/helm/rules/valuePath.ts";

/** Places of an image's parts in values, as `helm --set` writes them; empty: there is none for that part. */
export interface ImagePath {
  repo: string;
  namespace: string;
  image: string;
  tag: string;
}

/** Why an image cannot be written by these paths; undefined when it can. */
export function pathProblem(path: ImagePath): string | undefined {
  const used = Object.entries(path).filter(([, place]) => place !== "");
  if (used.length === 0) return 'names no place in values; give at least image, as in {"image": "image.repository"}';
  const wrong = used.find(([, place]) => parseValuePath(place) === undefined);
  if (wrong === undefined) return undefined;
  return `${wrong[0]}: ${wrong[1]} names no place in values; write image.tag or containers[0].image`;
}

/**
 * Values with an image written in (contract D 1.11): whole where there is one place, else its parts where they belong. A
 * digest beside the tag is cleared, for it would win (decisions 11.10).
 */
export function withImageInValues(values: Values, path: ImagePath, reference: string): Values {
  const { repo, namespace, image, tag } = path;
  const places = [repo, namespace, image, tag].filter((place) => place !== "");
  if (places.length === 1) return put(values, places[0] ?? "", reference);
  const { host, middle, name, version } = partsOf(reference);
  const last = tag === "" ? name + colon(version) : name;
  const placed = namesAt({ repo, namespace, image }, host, middle, last).reduce(
    (under, [place, text]) => put(under, place, text),
    values,
  );
  if (tag === "") return placed;
  const beside = tag.replace(/tag$/, "digest");
  const hasDigest = beside !== tag && typeof valueAt(values, parseValuePath(beside) ?? []) === "string";
  const tagged = put(placed, tag, version === "" ? "latest" : version);
  return hasDigest ? put(tagged, beside, "") : tagged;
}

function namesAt(
  { repo, namespace, image }: Omit<ImagePath, "tag">,
  host: string,
  middle: string,
  name: string,
): [string, string][] {
  if (repo !== "" && namespace !== "" && image !== "")
    return [
      [repo, host],
      [namespace, middle],
      [image, name],
    ];
  const first = repo || namespace;
  if (first !== "" && image !== "")
    return [
      [first, joined(host, middle)],
      [image, name],
    ];
  if (repo !== "" && namespace !== "")
    return [
      [repo, host],
      [namespace, joined(middle, name)],
    ];
  return [[image || first, joined(host, middle, name)]];
}

/** `reg.example.com/team/web:1@sha256:…`; a digest stays with the tag, which is how charts without a place for it take it. */
function partsOf(reference: string) {
  const [untagged = "", digest] = reference.split("@");
  const slash = untagged.lastIndexOf("/");
  const [name = "", tag = ""] = untagged.slice(slash + 1).split(":");
  const parts = slash < 0 ? [] : untagged.slice(0, slash).split("/");
  const [first = ""] = parts;
  const hasHost = /[.:]/.test(first) || first === "localhost";
  const middle = (hasHost ? parts.slice(1) : parts).join("/");
  const version = digest === undefined ? tag : `${tag || "latest"}@${digest}`;
  return hasHost
    ? { host: first, middle, name, version }
    : { host: "docker.io", middle: middle || "library", name, version };
}

const colon = (version: string): string => (version === "" ? "" : `:${version}`);
const joined = (...parts: string[]): string => parts.filter((part) => part !== "").join("/");

function put(values: Values, place: string, text: string): Values {
  return withValueAt(values, parseValuePath(place) ?? [], text);
}
