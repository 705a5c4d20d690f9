import { createHash, createPublicKey, type KeyObject, timingSafeEqual, verify, X509Certificate } from "node:crypto";
import { type Bundle, bundleFromJSON } from "@sigstore/bundle";
import { HashAlgorithm, TrustedRoot } from "@sigstore/protobuf-specs";
import { type SignedEntity, toSignedEntity, toTrustMaterial, Verifier, type VerifierOptions } from "@sigstore/verify";
import { algorithmOf } from "../rules/imageNames.ts";
import type { FoundSignature } from "./readSignatures.ts";
import type { Verification } from "./rules/verification.ts";

/** The manifest that has to be signed. */
export interface SignedManifest {
  digest: string;
  bytes: Buffer;
}

/**
 * Whether one of the signatures is by whom the project trusts and names this manifest.
 * @returns undefined when one is; else why each is not, for users
 */
export async function signaturesProblem(
  found: readonly FoundSignature[],
  manifest: SignedManifest,
  wanted: Verification,
): Promise<string | undefined> {
  if (found.length === 0) return "it has no signature";
  const check = wanted.publicKey === "" ? await checkIdentity(wanted) : checkKey(wanted.publicKey);
  const problems = new Set<string>();
  for (const signature of found) {
    try {
      check(entityOf(signature, manifest));
      return undefined;
    } catch (error) {
      problems.add(error instanceof Error ? error.message : String(error));
    }
  }
  const counted = found.length === 1 ? "its signature is" : `none of its ${found.length} signatures is`;
  return `${counted}${found.length === 1 ? " not" : ""} valid: ${[...problems].slice(0, 3).join("; ")}`;
}

type Check = (entity: SignedEntity) => void;

/** The pinned key is the trust: which key a signature names, and logs, do not matter. */
function checkKey(publicKey: string): Check {
  const key = createPublicKey(publicKey);
  const verifier = new Verifier(
    {
      ...{ certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] },
      publicKey: () => ({ publicKey: key, validFor: () => true }),
    },
    { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 },
  );
  return (entity) => {
    verifier.verify({ ...entity, key: { $case: "public-key", hint: "" }, tlogEntries: [], timestamps: [] });
  };
}

/** A certificate of the trusted root for that identity, valid when logs or a timestamp say that it was used. */
async function checkIdentity(wanted: Verification): Promise<Check> {
  const text = wanted.trustedRoot;
  const json: unknown =
    text === "" ? (await import("./publicRoot.json", { with: { type: "json" } })).default : JSON.parse(text);
  const root = TrustedRoot.fromJSON(json);
  const atLeastOne = (authorities: readonly unknown[]) => (authorities.length > 0 ? 1 : 0);
  const options: VerifierOptions = {
    ctlogThreshold: atLeastOne(root.ctlogs),
    tlogThreshold: atLeastOne(root.tlogs),
    timestampThreshold: 1,
  };
  const verifier = new Verifier(toTrustMaterial(root), options);
  const { certificateIdentity: identity, certificateOidcIssuer: issuer } = wanted;
  return (entity) => {
    if (entity.key.$case !== "certificate") throw new Error("it is made with a key and names no identity");
    const { subjectAlternativeName } = verifier.verify(entity, { extensions: { issuer } }).identity ?? {};
    // The verifier would take it for a regular expression.
    if (subjectAlternativeName !== identity) throw new Error(`it is by ${subjectAlternativeName}, not ${identity}`);
  };
}

/** @throws where what is signed is not this manifest; whether the signature is right is not looked at */
function entityOf(signature: FoundSignature, manifest: SignedManifest): SignedEntity {
  return signature.kind === "payload" ? ofPayload(signature, manifest) : ofBundle(signature.text, manifest);
}

function ofBundle(text: string, { digest, bytes }: SignedManifest): SignedEntity {
  const bundle = bundleFromJSON(JSON.parse(text));
  if (bundle.content.$case === "messageSignature") {
    // What is signed are the manifest's own bytes, whose digest the copy's reader checked.
    const entity = toSignedEntity(bundle, bytes);
    return { ...entity, signature: contentOf(bytes, entity.signature.signature) };
  }
  const { payload, payloadType } = bundle.content.dsseEnvelope;
  const statement = JSON.parse(payload.toString("utf8")) as InTotoStatement;
  const isStatement = payloadType === "application/vnd.in-toto+json";
  if (!isStatement || statement.predicateType !== signaturePredicate)
    throw new Error("it attests something about the image and is no signature of it");
  const [algorithm, hex] = [algorithmOf(digest), digest.slice(digest.indexOf(":") + 1)];
  if (!(statement.subject ?? []).some((subject) => subject.digest?.[algorithm] === hex)) throw otherImage();
  return toSignedEntity(bundle);
}

/** What `cosign sign` states in a bundle; other statements are about tests, contents and origins. */
const signaturePredicate = "https://sigstore.dev/cosign/sign/v1";

interface InTotoStatement {
  predicateType?: string;
  subject?: { digest?: Record<string, string> }[];
}

const otherImage = () => new Error("it is of another image");

const annotationPrefixes = { signature: "dev.cosignproject.cosign/", others: "dev.sigstore.cosign/" };

function ofPayload(
  { payload, annotations }: Extract<FoundSignature, { kind: "payload" }>,
  { digest }: SignedManifest,
): SignedEntity {
  const { critical } = JSON.parse(payload.toString("utf8")) as SimpleSigning;
  if (critical?.type !== "cosign container image signature") throw new Error("what is signed is no image");
  if (critical.image?.["docker-manifest-digest"] !== digest) throw otherImage();
  const signature = Buffer.from(annotations[`${annotationPrefixes.signature}signature`] ?? "", "base64");
  const content = contentOf(payload, signature);
  return { ...toSignedEntity(bundleOf(payload, signature, annotations), payload), signature: content };
}

interface SimpleSigning {
  critical?: { type?: string; image?: { "docker-manifest-digest"?: string } };
}

/** Bytes that are signed themselves, whatever the kind of the key. */
function contentOf(bytes: Buffer, signature: Buffer): SignedEntity["signature"] {
  const same = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);
  return {
    signature,
    compareSignature: (other) => same(other, signature),
    compareDigest: (other) => same(other, sha256(bytes)),
    verifySignature: (key: KeyObject) => {
      const isEdwards = key.asymmetricKeyType?.startsWith("ed") === true;
      return verify(isEdwards ? null : "sha256", bytes, key, signature);
    },
  };
}

const sha256 = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();

/** The content of annotations, as a bundle has it. */
function bundleOf(payload: Buffer, signature: Buffer, annotations: Readonly<Record<string, string>>): Bundle {
  const { certificate, bundle, rfc3161timestamp } = Object.fromEntries(
    ["certificate", "bundle", "rfc3161timestamp"].map((name) => [name, annotations[annotationPrefixes.others + name]]),
  );
  const stamp =
    rfc3161timestamp === undefined ? undefined : (JSON.parse(rfc3161timestamp) as { SignedRFC3161Timestamp: string });
  const stamps = stamp === undefined ? [] : [{ signedTimestamp: Buffer.from(stamp.SignedRFC3161Timestamp, "base64") }];
  return {
    mediaType: "application/vnd.dev.sigstore.bundle+json;version=0.1",
    content: {
      $case: "messageSignature",
      messageSignature: { messageDigest: { algorithm: HashAlgorithm.SHA2_256, digest: sha256(payload) }, signature },
    },
    verificationMaterial: {
      content:
        certificate === undefined
          ? { $case: "publicKey", publicKey: { hint: "" } }
          : { $case: "certificate", certificate: { rawBytes: new X509Certificate(certificate).raw } },
      tlogEntries: bundle === undefined ? [] : [logEntryOf(JSON.parse(bundle) as RekorBundle)],
      timestampVerificationData: { rfc3161Timestamps: stamps },
    },
  };
}

interface RekorBundle {
  SignedEntryTimestamp: string;
  Payload: { body: string; integratedTime: number; logIndex: number; logID: string };
}

function logEntryOf({ SignedEntryTimestamp, Payload }: RekorBundle) {
  const { body, integratedTime, logIndex, logID } = Payload;
  const canonicalizedBody = Buffer.from(body, "base64");
  const { kind, apiVersion } = JSON.parse(canonicalizedBody.toString("utf8")) as { kind: string; apiVersion: string };
  return {
    logIndex: String(logIndex),
    logId: { keyId: Buffer.from(logID, "hex") },
    kindVersion: { kind, version: apiVersion },
    integratedTime: String(integratedTime),
    inclusionPromise: { signedEntryTimestamp: Buffer.from(SignedEntryTimestamp, "base64") },
    inclusionProof: undefined,
    canonicalizedBody,
  };
}
