const quantity = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|n|u))?$/;
const scales: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** What a quantity of Kubernetes says, as `500m`, `0.5` or `512Mi`; undefined for what is none. */
export function amountOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const parts = quantity.exec(value);
  if (parts === null) return undefined;
  const [, digits = "", exponent, suffix] = parts;
  return Number(digits) * (exponent === undefined ? (scales[suffix ?? ""] ?? 1) : 10 ** Number(exponent));
}
