import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../../infra/local/cluster/api/errors.ts";
import { difference, intersection, paths, sameSet, union } from "../../../../infra/local/cluster/apply/fieldSet.ts";
import { serverSideApply } from "../../../../infra/local/cluster/apply/serverSideApply.ts";
import { fieldsOf } from "../../../../infra/local/cluster/apply/typed.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../../../infra/local/cluster/model/object.ts";
import { decode } from "../../../../infra/local/cluster/schema/decode.ts";
import { definitionOf, namedType } from "../../../../infra/local/cluster/schema/types.ts";

const type = namedType(definitionOf("apps", "v1", "Deployment")!);

const labels = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("1", "2"));
const env = fc.uniqueArray(fc.record({ name: fc.constantFrom("X", "Y", "Z"), value: fc.constantFrom("1", "2") }), {
  selector: (variable) => variable.name,
});
const container = fc.record(
  {
    name: fc.constantFrom("main", "side", "third"),
    image: fc.constantFrom("i:1", "i:2"),
    env,
    args: fc.array(fc.constantFrom("x", "y")),
  },
  { requiredKeys: ["name"] },
);
const containers = fc.uniqueArray(container, { minLength: 1, selector: (item) => item.name });
const configuration = fc
  .record({ replicas: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }), labels, containers })
  .map(({ replicas, labels: found, containers: list }) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d", labels: found },
    spec: { ...(replicas === undefined ? {} : { replicas }), template: { spec: { containers: list } } },
  }));

interface State {
  object: unknown;
  entries: ManagedFieldsEntry[];
}

const empty: State = { object: {}, entries: [] };

function applyAs(manager: string, state: State, body: unknown, force = false): State {
  const writer = { manager, operation: "Apply", apiVersion: "apps/v1" } as const;
  const options = { force, hasStatus: true, now: "2026-01-01T00:00:00Z" };
  return serverSideApply(state.object, body as KubeObject, type, state.entries, writer, options);
}

function ownedBy(manager: string, state: State) {
  return state.entries.find((entry) => entry.manager === manager)?.fieldsV1 ?? {};
}

describe("server-side apply", () => {
  it("changes nothing when the same configuration is applied again", () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const once = applyAs("one", applyAs("two", empty, first), second, true);
        const twice = applyAs("one", once, second);
        expect(twice.object).toEqual(once.object);
        expect(twice.entries).toEqual(once.entries);
      }),
    );
  });

  it("leaves exactly the newest configuration when one manager is alone", () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const state = applyAs("one", applyAs("one", empty, first), second);
        const alone = applyAs("one", empty, second);
        expect(decode(state.object, type).value).toEqual(decode(alone.object, type).value);
      }),
    );
  });

  it("never takes a field from another manager without force, and never leaves two owners of different values with it", () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const before = applyAs("one", empty, first);
        let after: State;
        try {
          after = applyAs("two", before, second);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect(error).toMatchObject({ code: 409, reason: "Conflict" });
          after = applyAs("two", before, second, true);
          expect(sameSet(ownedBy("one", after), ownedBy("one", before))).toBe(false);
          expect(() => applyAs("two", after, second)).not.toThrow();
          return;
        }
        expect(sameSet(ownedBy("one", after), ownedBy("one", before))).toBe(true);
        expect(() => applyAs("one", after, first)).not.toThrow();
      }),
    );
  });

  it("keeps what another manager also applied when one gives it up", () => {
    fc.assert(
      fc.property(configuration, (body) => {
        const both = applyAs("two", applyAs("one", empty, body), body);
        const nothing = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" } };
        const left = applyAs("one", both, nothing);
        expect(paths(fieldsOf(left.object, type))).toEqual(paths(fieldsOf(both.object, type)));
      }),
    );
  });
});

describe("field sets", () => {
  const sets = configuration.map((body) => fieldsOf(body, type));

  it("obey the laws of sets", () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(sameSet(union(a, b), union(b, a))).toBe(true);
        expect(paths(union(difference(a, b), intersection(a, b)))).toEqual(paths(a));
        expect(paths(intersection(difference(a, b), b))).toEqual([]);
        expect(new Set(paths(union(a, b)))).toEqual(new Set([...paths(a), ...paths(b)]));
      }),
    );
  });
});
