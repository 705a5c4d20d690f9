import * as z from "zod";
import { refuseDuplicates } from "./refuseDuplicates.ts";

/** A label or an annotation of the objects of a job. */
export interface MetadataEntry {
  key: string;
  value: string;
}

/** A key of Kubernetes: an optional DNS prefix and a name. */
const keyForm = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/;
const labelValueForm = /^(?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?$/;

/** What of a job is ours to label (contract W 11.1): custom labels may not override it. */
const reservedLabels = ["s-name", "s-type"];

/** Checked by the rules of Kubernetes, so that a job never fails for them when it starts. */
export function metadataInputs(sort: "label" | "annotation") {
  const key = z.string("must be a text").regex(keyForm, `must be the key of a Kubernetes ${sort}`);
  const value = z.string("must be a text");
  const entry = z.object({
    key:
      sort === "annotation"
        ? key
        : key.refine(
            (text) => !reservedLabels.includes(text) && !text.startsWith("slipway.dev/"),
            "is a label that Slipway sets itself",
          ),
    value:
      sort === "annotation"
        ? value.max(4096, "must have at most 4096 characters")
        : value.regex(labelValueForm, "must be the value of a Kubernetes label"),
  });
  return z.array(entry).max(50, `must have at most 50 ${sort}s`).superRefine(refuseDuplicates("key"));
}
