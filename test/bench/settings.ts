/** A run of less than a minute that only shows that everything still runs; its figures mean nothing. */
export const quick = process.env.SLIPWAY_BENCH_QUICK === "true";
