import { mapBounded } from "../base/common/mapBounded.ts";
import { table } from "../base/store/table.ts";
import { ConditionFailed, conflictedOn } from "../base/store/tableClient.ts";
import { tryWrite } from "../base/store/tryWrite.ts";
import { runCopies } from "../packaging/images/copy/copyRun.ts";
import {
  type ImageCopier,
  type ImagePlace,
  openImageCopier,
  type ResolvedImage,
} from "../packaging/images/copy/imageCopier.ts";
import { uploadNotesOf } from "../packaging/images/copy/storedUploadNotes.ts";
import { openImagePlaces } from "../packaging/images/imagePlaces.ts";
import { ImageProblem } from "../packaging/images/imageProblem.ts";
import { withDigest } from "../packaging/images/rules/imageReference.ts";
import { ImagesRefused, requireSignedImages } from "../packaging/images/verification/requireSignedImages.ts";
import { findVerification } from "../packaging/images/verification/store/verifications.ts";
import { type Attempt, currentVersion as current } from "./currentVersion.ts";
import { notifyVersionHook } from "./notifyVersionHook.ts";
import { ending, type ImageState, imageFailure, type Piece, piecesOf } from "./rules/version.ts";
import { endVersion, putImageState, recordProgress, type WholeVersion } from "./store/versions.ts";

const resolvedAtOnce = 8;
/** Each call that verifies has a time of its own, which is meant for the images of one change. */
const verifiedAtOnce = 20;
/** How long the registry of an image that is not pushed is waited for: a version can do without its digest. */
const lookMilliseconds = 30_000;

const isToBePushed = ({ what, state: { digest, status } }: Piece): boolean =>
  what.pushes && digest !== "" && (status === "" || status === "running");

/**
 * Fixes the digest of every image, once (decisions 14.2): of those that are pushed that of the source, of the others that
 * of what the version runs, unless it cannot be read.
 */
export async function resolveImages(attempt: Attempt): Promise<void> {
  const whole = await current(attempt);
  if (whole === undefined) return;
  const unknown = piecesOf(whole).filter(({ state }) => state.digest === "" && state.status === "");
  const places = openImagePlaces();
  const asking = openImageCopier({ signal: new AbortController().signal });
  const looking = openImageCopier({ signal: AbortSignal.timeout(lookMilliseconds) });
  try {
    await mapBounded(unknown, resolvedAtOnce, async (piece) => {
      const { what, state } = piece;
      const place = () => places.placeOf(what.pushes ? what.sourceImage : what.targetImage, what.registryId);
      const found = await (what.pushes ? look(asking, place) : look(looking, place).catch(() => undefined));
      if (found instanceof ImageProblem) {
        if (what.pushes) await put(whole, failed(piece, "failed", found.message));
      } else if (found !== undefined) {
        const { digest, size, platforms } = found;
        await put(whole, { ...state, digest, size, platforms });
      }
    });
  } finally {
    asking.close();
    looking.close();
  }
  await refuseUnsigned(attempt);
}

/** Ends the version when its project demands signatures and an image has none, before anything is copied (decisions 14.10). */
async function refuseUnsigned(attempt: Attempt): Promise<void> {
  const whole = await current(attempt);
  if (whole === undefined) return;
  const { projectKey } = whole.version;
  const wanted = await findVerification(projectKey);
  if (!wanted.enabled) return;
  const { certificateIdentity: identity, certificateOidcIssuer: issuer } = wanted;
  const checked = piecesOf(whole).filter(({ what, state }) => !what.pushes || state.digest !== "");
  const images = checked.map(({ what, state: { digest } }) => {
    const image = what.pushes ? what.sourceImage : what.targetImage;
    return digest === "" ? image : withDigest(image, digest);
  });
  try {
    for (let at = 0; at < images.length; at += verifiedAtOnce)
      await requireSignedImages(projectKey, images.slice(at, at + verifiedAtOnce), wanted);
    await mapBounded(checked, resolvedAtOnce, ({ state }) => put(whole, { ...state, signer: { identity, issuer } }));
  } catch (error) {
    if (!(error instanceof ImagesRefused)) throw error;
    await tryWrite(table().write(endVersion(whole.version, { status: "failed", error: error.message })));
  }
}

async function look(copier: ImageCopier, place: () => Promise<ImagePlace>): Promise<ResolvedImage | ImageProblem> {
  try {
    return await copier.resolve(await place());
  } catch (error) {
    if (error instanceof ImageProblem) return error;
    throw error;
  }
}

/**
 * Copies what has not passed, by digest. A failed image leaves the others alone.
 * @returns whether another call has to go on
 */
export async function copyImages(attempt: Attempt): Promise<{ do: "again" | "end" }> {
  const whole = await current(attempt);
  if (whole === undefined) return { do: "end" };
  const { version } = whole;
  const places = openImagePlaces();
  const tasks = piecesOf(whole).filter(isToBePushed);
  try {
    const end = await runCopies({
      tasks,
      copyOf: async ({ what, state }) => ({
        id: `${state.service}/${state.image}`,
        from: { ...(await places.placeOf(what.sourceImage, what.registryId)), reference: state.digest },
        to: await places.placeOf(what.targetImage, version.registryId),
        begun: state.status === "running" || version.round > 1,
      }),
      notes: uploadNotesOf(version.versionId),
      startedAt: version.roundStartedAt,
      progressAt: version.progressAt,
      begins: ({ state }) => mustPut(whole, { ...state, status: "running" }),
      ends: (piece, { state, problem }) =>
        mustPut(
          whole,
          state === "passed" ? { ...piece.state, status: "passed", error: "" } : failed(piece, "failed", problem),
        ),
      moves: (progressAt) => table().write(recordProgress(version, progressAt)),
    });
    if (end === "timeout") await timeOut(attempt);
    return { do: end === "paused" ? "again" : "end" };
  } catch (error) {
    // The version was deleted, or a newer execution of it has ended it.
    if (conflictedOn(error, "delivery version")) return { do: "end" };
    throw error;
  }
}

/** What is not over by now has taken too long (decisions 14.3). */
async function timeOut(attempt: Attempt): Promise<void> {
  const whole = await current(attempt);
  if (whole === undefined) return;
  const problem = "no registry confirmed anything of it for too long; retry the version";
  for (const piece of piecesOf(whole).filter(isToBePushed)) await put(whole, failed(piece, "timeout", problem));
}

/** Derives how the version ends from its images (contract D 1.12). */
export async function concludeVersion(attempt: Attempt): Promise<void> {
  const whole = await current(attempt);
  if (whole === undefined) return;
  const end = ending(whole.services, whole.states);
  if (end.status === "success") await notifyVersionHook(whole);
  await tryWrite(table().write(endVersion(whole.version, end)));
}

/** The machine could not go on. */
export async function giveUpVersion(attempt: Attempt): Promise<void> {
  const whole = await current(attempt);
  if (whole === undefined) return;
  const error = `the platform failed (version ${attempt.versionId}); retry it`;
  await tryWrite(table().write(endVersion(whole.version, { status: "failed", error })));
}

function failed({ of, state }: Piece, status: "failed" | "timeout", problem: string): ImageState {
  return { ...state, status, error: imageFailure(of.name, status, problem) };
}

/** Writes what became of an image; an image that passed, or whose version has ended, stays as it is. */
async function put(whole: WholeVersion, state: ImageState): Promise<void> {
  await tryWrite(table().write(...putImageState(whole, state)));
}

/** @throws ConditionFailed "delivery version" when the round has ended */
async function mustPut(whole: WholeVersion, state: ImageState): Promise<void> {
  try {
    await table().write(...putImageState(whole, state));
  } catch (error) {
    if (!(error instanceof ConditionFailed) || conflictedOn(error, "delivery version")) throw error;
  }
}
