import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { initializeCA, initializeCTLog, initializeTLog } from "@sigstore/mock";
import { HashAlgorithm, PublicKeyDetails, TrustedRoot } from "@sigstore/protobuf-specs";
import { ociManifest, type Pushed, type pusher } from "./testRegistry.ts";

type Pusher = ReturnType<typeof pusher>;

const payloadType = "application/vnd.dev.cosign.simplesigning.v1+json";
const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json";
const signPredicate = "https://sigstore.dev/cosign/sign/v1";
const statementType = "application/vnd.in-toto+json";

export interface Signer {
  /** PEM of a key; an identity's certificate otherwise. */
  publicKey?: string;
  /** What goes with a signature of `content` in annotations of the old form. */
  old(content: Buffer): Promise<Record<string, string>>;
  /** A bundle around a statement. */
  bundle(statement: Buffer): Promise<object>;
  /** A bundle around other bytes. */
  message(content: Buffer): Promise<object>;
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
const pem = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();
const preAuthEncoding = (payload: Buffer) =>
  Buffer.concat([Buffer.from(`DSSEv1 ${statementType.length} ${statementType} ${payload.length} `), payload]);

function envelopeOf(payload: Buffer, signature: Buffer) {
  const signatures = [{ sig: signature.toString("base64"), keyid: "" }];
  return { payload: payload.toString("base64"), payloadType: statementType, signatures };
}

function messageOf(content: Buffer, signature: Buffer) {
  const messageDigest = { algorithm: "SHA2_256", digest: sha256(content).toString("base64") };
  return { messageDigest, signature: signature.toString("base64") };
}

/** Signs with a key of its own, as `cosign sign --key`. */
export function keySigner(kind: "ec" | "ed25519" | "rsa" = "ec"): Signer & { publicKey: string } {
  const { privateKey, publicKey } =
    kind === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : kind === "rsa"
        ? generateKeyPairSync("rsa", { modulusLength: 2048 })
        : generateKeyPairSync("ed25519");
  const signed = (content: Buffer) => sign(kind === "ed25519" ? null : "sha256", content, privateKey);
  const verificationMaterial = { publicKey: { hint: "some-key" } };
  return {
    publicKey: pem(publicKey),
    old: async (content) => ({ "dev.cosignproject.cosign/signature": signed(content).toString("base64") }),
    bundle: async (statement) => ({
      mediaType: bundleType,
      verificationMaterial,
      dsseEnvelope: envelopeOf(statement, signed(preAuthEncoding(statement))),
    }),
    message: async (content) => ({
      mediaType: bundleType,
      verificationMaterial,
      messageSignature: messageOf(content, signed(content)),
    }),
  };
}

/** What `@sigstore/rekor-types` declares, which is not installed. */
interface LogEntry {
  body: unknown;
  integratedTime: number;
  logIndex: number;
  logID: string;
  verification?: { signedEntryTimestamp?: unknown };
}

/** A Sigstore installation of its own: who vouches for identities, and the logs. */
export async function startSigstore() {
  const pair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ctLog = await initializeCTLog(pair());
  const ca = await initializeCA(pair(), ctLog);
  const log = await initializeTLog("https://rekor.example.com", pair());
  const start = new Date(Date.now() - 86_400_000);
  const logOf = (publicKey: Buffer, keyId: Buffer) => ({
    ...{ baseUrl: "https://rekor.example.com", operator: "", hashAlgorithm: HashAlgorithm.SHA2_256 },
    publicKey: {
      rawBytes: publicKey,
      keyDetails: PublicKeyDetails.PKIX_ECDSA_P256_SHA_256,
      validFor: { start, end: undefined },
    },
    ...{ logId: { keyId }, checkpointKeyId: undefined },
  });
  const root = TrustedRoot.toJSON({
    mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    tlogs: [logOf(log.publicKey, sha256(log.publicKey))],
    ctlogs: [logOf(ctLog.publicKey, Buffer.from(ctLog.logID.buffer))],
    certificateAuthorities: [
      {
        ...{ subject: undefined, uri: "https://fulcio.example.com", operator: "", validFor: { start, end: undefined } },
        certChain: { certificates: [{ rawBytes: Buffer.from(ca.rootCertificate.buffer) }] },
      },
    ],
    timestampAuthorities: [],
  });

  async function certified(identity: string, issuer: string) {
    const { privateKey, publicKey } = pair();
    const der = publicKey.export({ type: "spki", format: "der" });
    const extensions = [{ oid: "1.3.6.1.4.1.57264.1.8", value: issuer }];
    const made = await ca.issueCertificate({ publicKey: der, subjectAltName: identity, extensions });
    const certificate = Buffer.from(made.buffer, made.byteOffset, made.byteLength).toString("base64");
    const text = `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`;
    return { certificate, text, signed: (content: Buffer) => sign("sha256", content, privateKey) };
  }

  /** What the log says of an entry. */
  async function logged(entry: object) {
    const [made] = Object.values((await log.log(entry)) as Record<string, LogEntry>);
    if (made?.verification?.signedEntryTimestamp === undefined) throw new Error("the log promises nothing");
    const set = String(made.verification.signedEntryTimestamp);
    return { body: String(made.body), integratedTime: made.integratedTime, index: made.logIndex, id: made.logID, set };
  }

  async function recordOf(content: Buffer, signature: Buffer, text: string) {
    const spec = {
      data: { hash: { algorithm: "sha256", value: sha256(content).toString("hex") } },
      signature: {
        content: signature.toString("base64"),
        publicKey: { content: Buffer.from(text).toString("base64") },
      },
    };
    return logged({ kind: "hashedrekord", apiVersion: "0.0.1", spec });
  }

  const entryOf = (kind: string, { body, integratedTime, index, id, set }: Awaited<ReturnType<typeof logged>>) => ({
    logIndex: String(index),
    logId: { keyId: Buffer.from(id, "hex").toString("base64") },
    kindVersion: { kind, version: "0.0.1" },
    integratedTime: String(integratedTime),
    inclusionPromise: { signedEntryTimestamp: set },
    canonicalizedBody: body,
  });

  return {
    /** `trusted_root.json`. */
    root: JSON.stringify(root),
    /** Signs as somebody, as `cosign sign` without a key. */
    signer: (identity: string, issuer: string): Signer => ({
      old: async (content) => {
        const { text, signed } = await certified(identity, issuer);
        const signature = signed(content);
        const { body, integratedTime, index, id, set } = await recordOf(content, signature, text);
        const Payload = { body, integratedTime, logIndex: index, logID: id };
        return {
          "dev.cosignproject.cosign/signature": signature.toString("base64"),
          "dev.sigstore.cosign/certificate": text,
          "dev.sigstore.cosign/bundle": JSON.stringify({ SignedEntryTimestamp: set, Payload }),
        };
      },
      bundle: async (statement) => {
        const { certificate, text, signed } = await certified(identity, issuer);
        const signature = signed(preAuthEncoding(statement));
        const dsseEnvelope = envelopeOf(statement, signature);
        const spec = {
          envelopeHash: {
            algorithm: "sha256",
            value: sha256(Buffer.from(JSON.stringify(dsseEnvelope))).toString("hex"),
          },
          payloadHash: { algorithm: "sha256", value: sha256(statement).toString("hex") },
          signatures: [{ signature: signature.toString("base64"), verifier: Buffer.from(text).toString("base64") }],
        };
        const entry = entryOf("dsse", await logged({ kind: "dsse", apiVersion: "0.0.1", spec }));
        const verificationMaterial = { certificate: { rawBytes: certificate }, tlogEntries: [entry] };
        return {
          mediaType: "application/vnd.dev.sigstore.bundle+json;version=0.1",
          verificationMaterial,
          dsseEnvelope,
        };
      },
      message: async (content) => {
        const { certificate, text, signed } = await certified(identity, issuer);
        const signature = signed(content);
        const entry = entryOf("hashedrekord", await recordOf(content, signature, text));
        const verificationMaterial = { certificate: { rawBytes: certificate }, tlogEntries: [entry] };
        return {
          mediaType: "application/vnd.dev.sigstore.bundle+json;version=0.1",
          verificationMaterial,
          messageSignature: messageOf(content, signature),
        };
      },
    }),
  };
}

/** Signs an image of a registry in one of the forms, for itself or (wrongly) for the digest of another. */
export async function signImage(
  push: Pusher,
  { repository, image, signer }: { repository: string; image: Pushed; signer: Signer },
  form: "old" | "bundle" | "message" | "attestation",
  digest: string = image.digest,
): Promise<void> {
  const config = await push.blob(repository, Buffer.from("{}"), "application/vnd.oci.image.config.v1+json");
  if (form === "old") {
    const critical = {
      identity: { "docker-reference": repository },
      image: { "docker-manifest-digest": digest },
      type: "cosign container image signature",
    };
    const content = Buffer.from(JSON.stringify({ critical, optional: null }));
    const layer = { ...(await push.blob(repository, content, payloadType)), annotations: await signer.old(content) };
    const made = { schemaVersion: 2, mediaType: ociManifest, config, layers: [layer] };
    await push.manifest(repository, `${image.digest.replace(":", "-")}.sig`, made);
    return;
  }
  const subject = [{ digest: { sha256: digest.replace("sha256:", "") } }];
  const predicateType = form === "attestation" ? "https://slsa.dev/provenance/v1" : signPredicate;
  const statement = Buffer.from(
    JSON.stringify({ _type: "https://in-toto.io/Statement/v1", subject, predicateType, predicate: {} }),
  );
  const signed =
    form === "message"
      ? await signer.message(Buffer.from((await push.read(repository, image.digest)) ?? ""))
      : await signer.bundle(statement);
  const layer = await push.blob(repository, Buffer.from(JSON.stringify(signed)), bundleType);
  const made = {
    ...{ schemaVersion: 2, mediaType: ociManifest, artifactType: bundleType },
    ...{ config, layers: [layer], subject: image },
  };
  const { digest: of, size, mediaType } = await push.manifest(repository, "", made);
  const tag = image.digest.replace(":", "-");
  const stands = JSON.parse((await push.read(repository, tag)) ?? '{"manifests":[]}') as { manifests: object[] };
  const entry = { mediaType, digest: of, size, artifactType: bundleType };
  const index = { schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json" };
  await push.manifest(repository, tag, { ...index, manifests: [...stands.manifests, entry] });
}
