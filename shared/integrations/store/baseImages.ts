import { integrationStore } from "./integrationStore.ts";

/** An image that scripts of builds and tests run in (decisions 7.7). */
export interface BaseImage {
  /** What builds name it by. */
  label: string;
  /** Image reference, as it was given. */
  value: string;
}

export const baseImages = integrationStore<BaseImage>("base-image");

/** An image that always is there (contract W 10.1, decisions 19.8). */
export interface BuiltInImage {
  /** Of its entry in the list. */
  id: string;
  /** Another name for the label. */
  name: string;
  label: string;
  reference: string;
}

export const builtInImages: readonly BuiltInImage[] = [
  { id: "000000000000000000002004", name: "focal", label: "ubuntu 20.04", reference: "ubuntu:20.04" },
  { id: "000000000000000000001804", name: "bionic", label: "ubuntu 18.04", reference: "ubuntu:18.04" },
];

export const builtInLabels: readonly string[] = builtInImages.map(({ label }) => label);

/**
 * An image that a build or a job names by a label: one that always is there, or a record. A record that has the other name of
 * one that always is there as its label wins, for it was there before that name.
 * @returns undefined for a label that nothing has
 */
export async function findBaseImage(label: string): Promise<{ id: string; reference: string } | undefined> {
  const builtIn = builtInImages.find((image) => image.label === label);
  if (builtIn !== undefined) return { id: "", reference: builtIn.reference };
  const record = await baseImages.findByName(label);
  if (record !== undefined) return { id: record.id, reference: record.shown.value };
  const named = builtInImages.find(({ name }) => name === label);
  return named && { id: "", reference: named.reference };
}
