import fc from "fast-check";
import { mapCredentials } from "../../../../shared/workflows/definition/credentials.ts";
import type { Tree } from "./workflowCalls.ts";

/** Texts that YAML and JSON both carry. */
const text = fc.string({ maxLength: 12, unit: "grapheme-ascii" });
const leaf = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map((n) => (Object.is(n, -0) ? 0 : n)),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
}));
const extra = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 8 }).map((name) => `x-${name}`),
  value,
  { maxKeys: 3 },
);

const unknownJob = fc
  .record({ type: fc.constantFrom("vendor-check", "dms", "apisix", "blueking"), spec: extra, extra })
  .map(({ type, spec, extra: more }): Tree => ({ ...more, type, spec }));
const knownJob = fc
  .record({ script: text, extra })
  .map(({ script, extra: spec }): Tree => ({ type: "freestyle", spec: { ...spec, script } }));

const stage = fc
  .record({ jobs: fc.array(fc.oneof(unknownJob, knownJob), { maxLength: 3 }), parallel: fc.boolean(), extra })
  .map(({ jobs, parallel, extra: more }): Tree => ({ ...more, jobs, parallel }));

const param = fc
  .record({ value: text, is_credential: fc.boolean(), extra })
  .map(({ extra: more, ...rest }): Tree => ({ ...more, ...rest, type: "string" }));

/** A definition that passes lint, with unknown fields at every level. */
export const arbitraryDefinition: fc.Arbitrary<Tree> = fc
  .record({
    stages: fc.array(stage, { maxLength: 3 }),
    params: fc.array(param, { maxLength: 3 }),
    extra,
    limit: fc.integer({ min: -1, max: 9 }),
  })
  .map(({ stages, params, extra: more, limit }) => ({
    ...more,
    name: "any",
    project: "demo",
    concurrency_limit: limit,
    params: params.map((one, at) => ({ ...one, name: `p${at}` })),
    notify_ctls: [],
    share_storages: [],
    stages: stages.map((one, at) => ({
      ...one,
      name: `stage ${at}`,
      jobs: (one.jobs as Tree[]).map((job, place) => ({ ...job, name: `job-${at}-${place}` })),
    })),
  }));

/** Credentials are the one thing that does not come back. */
export function withoutCredentials(definition: Tree): Tree {
  return mapCredentials(definition, () => "") as Tree;
}
