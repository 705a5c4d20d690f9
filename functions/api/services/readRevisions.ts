import type * as z from "zod";
import { notFound } from "../../../shared/errors/apiError.ts";
import { findStandingRevision, pageOfRevisions } from "../../../shared/services/store/standingRevisions.ts";
import { type ServiceAddress, serviceWords } from "./changeService.ts";
import type { revisionList, serviceDetail } from "./schemas.ts";
import { detailAnswer, revisionAnswer } from "./wire.ts";

/** A page of what was stored under the name of a service, newest first (contract P 2.8). @throws ApiError 404 */
export async function listRevisions(
  address: ServiceAddress,
  { pageNum, pageSize }: { pageNum: number; pageSize: number },
): Promise<z.input<typeof revisionList>> {
  const page = await pageOfRevisions(address, pageNum, pageSize);
  if (page === undefined) throw notFound(serviceWords(address));
  return { total: page.total, revisions: page.revisions.map(revisionAnswer) };
}

/** One of them as the service was with it. @throws ApiError 404 */
export async function readRevision(
  address: ServiceAddress,
  revision: number,
  shown: { withSecrets: boolean },
): Promise<z.input<typeof serviceDetail>> {
  const found = await findStandingRevision(address, revision);
  if (found === undefined) throw notFound(`revision ${revision} of ${serviceWords(address)}`);
  return detailAnswer(found, shown);
}
