import { holdsSecretManifest } from "../../access/audit/maskBody.ts";
import { findDocuments, joinDocuments } from "../../manifest/edit/documents.ts";
import { ManifestError } from "../../manifest/manifestError.ts";
import { dumpYaml, readYaml, yamlValue } from "../../manifest/parseYaml.ts";
import { isObjectList, isRecord } from "../../manifest/schema/kubeObject.ts";
import { lexTemplate } from "../../manifest/template/lexTemplate.ts";
import { isSecret, maskedFields, maskedValue } from "./secretValues.ts";

/**
 * The text of a service, which is a template of manifests, without the values of its Secrets (decisions 17.5). A document
 * that is a Secret, or may become one when it is rendered, is written again with `********` for each value; one that cannot
 * be read as YAML and may hold a Secret is `********` as a whole. A text without any stays as it is, byte by byte. Never
 * throws: what cannot be understood is hidden.
 */
export function maskedTemplate(text: string): string {
  const documents = findDocuments(text).map((one) => one.text);
  const shown = documents.map(maskedDocument);
  return shown.every((one, at) => one === documents[at]) ? text : joinDocuments(shown);
}

/**
 * Why a text may not be stored: a Secret in it has the mask for a value, as shown to users who may not see values.
 * @returns a sentence that names the keys; undefined when there are none
 */
export function maskProblem(text: string): string | undefined {
  const keys = findDocuments(text).flatMap((document) => {
    const { value, isSecretLike } = readDocument(document.text);
    return isSecretLike ? objectsIn(value).flatMap(maskedKeys) : [];
  });
  if (keys.length === 0) return undefined;
  return `${maskedValue} stands for a value of a Secret that is not shown; send the value itself of ${keys.join(", ")}`;
}

function maskedKeys(object: Readonly<Record<string, unknown>>): string[] {
  return ["data", "stringData"].flatMap((field) => {
    const values = object[field];
    if (!isRecord(values)) return [];
    const masked = Object.entries(values).filter(([, one]) => typeof one === "string" && one.startsWith(maskedValue));
    return masked.map(([key]) => `${field}.${key}`);
  });
}

function maskedDocument(text: string): string {
  const { value, actions, isSecretLike } = readDocument(text);
  if (!isSecretLike) return text;
  if (value === undefined) return `${maskedValue}\n`;
  return dumpYaml(maskedWhole(value)).replace(placeholder, (found, at: string) => actions[Number(at)] ?? found);
}

function maskedWhole(value: unknown): unknown {
  if (isObjectList(value)) return { ...value, items: value.items.map(maskedWhole) };
  return isRecord(value) ? maskedFields(value) : maskedValue;
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  if (isObjectList(value)) return value.items.flatMap(objectsIn);
  return isRecord(value) ? [value] : [];
}

interface ReadDocument {
  /** Undefined when it cannot be read as YAML. */
  value: unknown;
  actions: readonly string[];
  /** Whether it is a Secret, or may be rendered to one. */
  isSecretLike: boolean;
}

/** Private characters around a number stand for an action of the template while the document is read as YAML. */
const [open, close] = ["\uE000", "\uE001"];
const placeholder = /\uE000(\d+)\uE001/g;

function readDocument(text: string): ReadDocument {
  const { plain, actions, isBroken } = withoutActions(text);
  const value = isBroken ? undefined : yamlIn(plain);
  const isTemplate = actions.length > 0;
  const isSecretLike =
    value === undefined ? mayHoldSecret(text) : objectsMayBeSecret(value, isTemplate) || (isTemplate && names(plain));
  return { value, actions, isSecretLike };
}

/** A branch that is not taken may leave another kind than the last one that is written. */
const names = (plain: string): boolean => /^["']?kind["']?[ \t]*:[^\n]*Secret(?![A-Za-z])/m.test(plain);

function objectsMayBeSecret(value: unknown, isTemplate: boolean): boolean {
  if (isObjectList(value)) return value.items.some((item) => objectsMayBeSecret(item, isTemplate));
  if (!isRecord(value)) return false;
  const { apiVersion, kind } = value;
  if (typeof kind !== "string") return isTemplate;
  const isOtherGroup =
    typeof apiVersion === "string" && !isSecret({ apiVersion: lettersOf(apiVersion), kind: "Secret" });
  return !isOtherGroup && mayRenderTo(kind, "Secret");
}

const lettersOf = (text: string): string => text.replace(placeholder, "");

/** Whether a text with placeholders may become `wanted`. */
function mayRenderTo(text: string, wanted: string): boolean {
  const parts = text.split(/\uE000\d+\uE001/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`).test(wanted);
}

function yamlIn(plain: string): unknown {
  try {
    return yamlValue(readYaml(plain), { lastKeyWins: true }) ?? null;
  } catch (error) {
    if (error instanceof ManifestError) return undefined;
    throw error;
  }
}

/** Of a text that is no YAML: it says that it is a Secret, leaves the kind to a value, or tells none. */
function mayHoldSecret(text: string): boolean {
  const kinds = [...text.matchAll(/^[ \t-]*["']?kind["']?[ \t]*:(.*)$/gm)].map(([, kind = ""]) => kind);
  return kinds.length === 0 || kinds.some((kind) => kind.includes("{{")) || holdsSecretManifest(text);
}

function withoutActions(text: string): { plain: string; actions: string[]; isBroken: boolean } {
  const actions: string[] = [];
  let plain = "";
  let start = 0;
  let isBroken = false;
  for (const token of lexTemplate(text)) {
    if (token.kind === "text") plain += token.text;
    if (token.kind === "error") isBroken = true;
    if (token.kind === "open") start = token.start;
    if (token.kind === "close") {
      plain += `${open}${actions.length}${close}`;
      actions.push(text.slice(start, token.end).trim());
    }
  }
  return { plain, actions, isBroken };
}
