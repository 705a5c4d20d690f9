import { createHash, randomUUID } from "node:crypto";
import { type CheckedResponse, checkedFetch } from "../../base/outbound/checkedFetch.ts";
import { operatorPolicy } from "../../base/outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../base/outbound/outboundErrors.ts";
import { ChartProblem } from "../helm/chartProblem.ts";
import { maxArchiveBytes } from "../helm/readArchive.ts";
import { type ChartToPush, takenSentence } from "./chartToPush.ts";
import { type HttpFolder, type HttpRepository, openHttpFolder } from "./httpRepository.ts";
import { readServedFile } from "./readServedFile.ts";

const timeoutSeconds = 120;

/**
 * Uploads a chart by the interface of ChartMuseum, which others have as well (contract D 1.11): `POST <context
 * path>/api/<path of the repository>/charts`.
 * @returns the address of its package
 * @throws ChartProblem
 */
export async function pushToMuseum(repository: HttpRepository, chart: ChartToPush): Promise<string> {
  const { repoName } = repository;
  const { name, version, archive } = chart;
  const folder = openHttpFolder(repository);
  const what = `chart ${name} ${version} of chart repository ${repoName}`;
  const file = new URL(`charts/${encodeURIComponent(`${name}-${version}`)}.tgz`, folder.url);
  const mine = sha256(archive);
  const fetched = async (url: URL) =>
    sha256(await readServedFile({ what, url, maxBytes: maxArchiveBytes, login: folder.login }));
  const taken = (digest: string) => new ChartProblem(`chart repository ${repoName}: ${takenSentence(chart, digest)}`);

  const index = await folder.index();
  const there = index.versionsOf(name).find((one) => one.version === version);
  if (there !== undefined) {
    const url = URL.parse(there.urls[0] ?? "", folder.url.href) ?? file;
    const digest = there.digest || (await fetched(url));
    if (digest !== mine) throw taken(digest);
    return url.href;
  }
  const answer = await upload(folder, index.contextPath, `chart repository ${repoName}`, chart);
  if (answer.status === 201 || answer.status === 202) return file.href;
  // The answer to an earlier try was lost and the index does not show it yet, or another client was faster.
  if (answer.status === 409) {
    const digest = await fetched(file);
    if (digest === mine) return file.href;
    throw taken(digest);
  }
  throw new ChartProblem(`chart repository ${repoName}: ${refusal(answer, folder)}`);
}

async function upload(
  { url, login }: HttpFolder,
  contextPath: string,
  what: string,
  { name, version, archive }: ChartToPush,
): Promise<CheckedResponse> {
  const context = contextPath.replace(/^\/*/, "/").replace(/\/+$/, "");
  const inside = url.pathname.startsWith(`${context}/`) ? url.pathname.slice(context.length) : url.pathname;
  const place = new URL(`${context}/api${inside}charts`, url.origin);
  const boundary = `slipway-${randomUUID()}`;
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="chart"; filename="${name}-${version}.tgz"\r\ncontent-type: application/gzip\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), archive, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const headers = {
    ...{ "user-agent": "slipway", "content-type": `multipart/form-data; boundary=${boundary}` },
    ...{ "content-length": String(body.length) },
    ...(login && { authorization: login.authorization }),
  };
  try {
    return await checkedFetch(operatorPolicy(), place.href, { method: "POST", headers, body, timeoutSeconds });
  } catch (error) {
    if (error instanceof OutboundRefused || error instanceof OutboundFailed)
      throw new ChartProblem(`${what}: ${error.message}`);
    throw error;
  }
}

/** A redirect is never followed with a chart and a login. */
function refusal({ status, headers }: CheckedResponse, { url: { host }, login }: HttpFolder): string {
  if (status === 401)
    return login === undefined
      ? `${host} asks for a login to take charts (401); give the repository a username and password`
      : `${host} does not accept the username and password of the repository for a push (401)`;
  if (status === 403) return `${host} refuses the chart (403); give the login of the repository the right to push`;
  if (status === 413) return `${host} takes no chart of this size (413); raise its limit or that of its proxy`;
  if (status === 507) return `${host} has no room for the chart (507); free space, then retry`;
  if (status >= 300 && status < 400)
    return `${host} sends a push on to another address (${status}), which is not followed; register the address itself`;
  if (status === 404 || status === 405)
    return `${host} takes no charts (${status}); it must have the interface of ChartMuseum, or use a registry (oci)`;
  const isPage = /^text\/html/i.test(headers["content-type"] ?? "");
  if (status < 300)
    return `${host} answers ${isPage ? "with a web page" : `${status}`} to a push, so it is no ChartMuseum; use one, or a registry (oci)`;
  return `${host} answers ${status} to a push; try again later`;
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
