import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deletionOf, harbor, path, type RegistryCalls, type Shown, startForRegistries } from "./registryCalls.ts";

let slipway: RegistryCalls;

beforeAll(async () => {
  slipway = await startForRegistries();
});

afterAll(() => slipway.close());

describe("the default", () => {
  test("a new default takes the place of the old one, and cannot be switched off", async () => {
    const one = await slipway.add("https://default-one.example.com", { is_default: true });
    const two = await slipway.add("https://default-two.example.com", { is_default: true });
    expect((await slipway.list()).filter((registry) => registry.is_default)).toEqual([{ ...two, is_default: true }]);
    const body = { ...two, is_default: false };
    expect((await slipway.call("PUT", `${path}/${two.registry_id}`, { body })).status).toBe(200);
    expect((await slipway.call<Shown>("GET", `${path}/${two.registry_id}`)).json.is_default).toBe(true);
    await slipway.call("PUT", `${path}/${one.registry_id}`, { body: { ...one, is_default: true } });
    expect((await slipway.list()).filter(({ is_default }) => is_default).map(({ address }) => address)).toEqual([
      one.address,
    ]);
  });

  test("of 50 parallel creates that all want to be the default, all succeed and exactly one is", async () => {
    const wanted = Array.from({ length: 50 }, (_, at) => `https://race-${at}.example.com`);
    const answers = await Promise.all(
      wanted.map((address) => slipway.call("POST", path, { body: { ...harbor, address, is_default: true } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(wanted.map(() => 200));
    const registries = await slipway.list();
    expect(registries.filter(({ address }) => wanted.includes(address))).toHaveLength(50);
    expect(registries.filter(({ is_default }) => is_default)).toHaveLength(1);
  });

  test("of 50 parallel creates without a default exactly one becomes it", async () => {
    const before = await slipway.list();
    for (const { registry_id } of before) await slipway.call("DELETE", deletionOf(registry_id));
    expect(await slipway.list()).toEqual([]);
    const wanted = Array.from({ length: 50 }, (_, at) => `https://first-${at}.example.com`);
    const answers = await Promise.all(
      wanted.map((address) => slipway.call("POST", path, { body: { ...harbor, address } })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await slipway.list()).filter(({ is_default }) => is_default)).toHaveLength(1);
  });

  test("when the default is deleted the oldest other one takes its place", async () => {
    const registries = await slipway.list();
    const current = registries.find(({ is_default }) => is_default);
    const next = registries.find(({ is_default }) => !is_default);
    await slipway.call("DELETE", deletionOf(current?.registry_id ?? ""));
    expect((await slipway.list()).filter(({ is_default }) => is_default)).toEqual([{ ...next, is_default: true }]);
  });
});
