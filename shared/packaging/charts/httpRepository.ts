import { createHash } from "node:crypto";
import { ChartProblem } from "../helm/chartProblem.ts";
import { maxArchiveBytes } from "../helm/readArchive.ts";
import { type ChartSource, notThere } from "./chartSource.ts";
import { publicOciChart } from "./ociRepository.ts";
import { readServedFile } from "./readServedFile.ts";
import { type ChartIndex, type IndexedChart, readChartIndex } from "./rules/chartIndex.ts";
import { pickVersion } from "./rules/pickVersion.ts";

/** Large repositories name thousands of versions; the largest known have some 15 MB. */
const maxIndexBytes = 20 * 1024 * 1024;

export interface HttpRepository {
  repoName: string;
  url: string;
  username: string;
  password: string;
}

/** Where an `index.yaml` and its charts are. */
export interface HttpFolder {
  url: URL;
  /** Sent to its own origin alone. */
  login: { origin: string; authorization: string } | undefined;
  /** @throws ChartProblem where there is none */
  index(): Promise<ChartIndex>;
}

export function openHttpFolder({ repoName, url, username, password }: HttpRepository): HttpFolder {
  const folder = new URL(`${url.replace(/\/+$/, "")}/`);
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const login = username === "" ? undefined : { origin: folder.origin, authorization };
  return {
    url: folder,
    login,
    index: async () => {
      const what = `the index of chart repository ${repoName}`;
      const wanted = { what, url: new URL("index.yaml", folder), maxBytes: maxIndexBytes, login };
      const read = readChartIndex((await readServedFile(wanted)).toString("utf8"));
      if (typeof read === "string") throw new ChartProblem(`${what}: what ${folder.host} sends ${read}; check the url`);
      return read;
    },
  };
}

/** A folder with an `index.yaml`, as web servers and ChartMuseum have it. */
export function httpRepository(repository: HttpRepository): ChartSource {
  const { repoName } = repository;
  const { url: folder, login, index } = openHttpFolder(repository);

  return {
    check: async () => {
      await index();
    },
    versions: async (name) => {
      const found = (await index()).versionsOf(name);
      return found.map((one) => ({ version: one.version, url: placeOf(one)?.href ?? "" }));
    },
    fetch: async (name, wanted) => {
      const versions = (await index()).versionsOf(name);
      const version = pickVersion(
        versions.map((one) => one.version),
        wanted,
      );
      const found = versions.find((one) => one.version === version);
      if (found === undefined) throw notThere(repoName, name, wanted, versions.length > 0);
      const what = `chart ${name} ${found.version} of chart repository ${repoName}`;
      const packed = await fetchVersion(found, what);
      const digest = createHash("sha256").update(packed).digest("hex");
      if (found.digest !== "" && found.digest !== digest)
        throw new ChartProblem(
          `${what}: has the digest ${digest}, but the index says ${found.digest}; ask its operator`,
        );
      return packed;
    },
  };

  function placeOf({ urls: [address = ""] }: IndexedChart): URL | null {
    return URL.parse(address, folder.href);
  }

  function fetchVersion(found: IndexedChart, what: string): Promise<Buffer> {
    const [address = ""] = found.urls;
    if (address.startsWith("oci://")) return publicOciChart(address, what);
    const place = placeOf(found);
    if (place === null || !/^https?:$/.test(place.protocol))
      throw new ChartProblem(`${what}: the index names no address for it; ask its operator`);
    return readServedFile({ what, url: place, maxBytes: maxArchiveBytes, login });
  }
}
