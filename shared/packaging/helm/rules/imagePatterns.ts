/**
 * Where the values of charts hold the parts of an image, as dotted keys below any map of the values. Without a tag the
 * repository has it.
 */
export interface ImagePattern {
  registry: string;
  namespace: string;
  image: string;
  tag: string;
}

/** Those that every project has, by their number (contract P 13.4). */
const presets: readonly ImagePattern[] = [
  { registry: "image.registry", namespace: "", image: "image.repository", tag: "image.tag" },
  { registry: "", namespace: "", image: "image", tag: "" },
];

/** What a project settled of its patterns (decisions 11.10). */
export interface ImagePatterns {
  own: readonly (ImagePattern & { inUse: boolean })[];
  /** Numbers of presets that are not used, counted from 1. */
  presetsOff: readonly number[];
}

export const defaultPatterns: ImagePatterns = { own: [], presetsOff: [] };

/** The presets with their numbers. */
export function presetPatterns(): (ImagePattern & { preset: number })[] {
  return presets.map((pattern, index) => ({ ...pattern, preset: index + 1 }));
}

/** Those in use, a project's own first. */
export function patternsInUse({ own, presetsOff }: ImagePatterns): ImagePattern[] {
  const standing = presetPatterns().filter(({ preset }) => !presetsOff.includes(preset));
  return [...own.filter(({ inUse }) => inUse), ...standing];
}
