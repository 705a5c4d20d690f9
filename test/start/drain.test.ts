import { expect, test } from "vitest";
import { type Gateway, startGateway } from "../../infra/local/gateway.ts";

async function gatewayOf(
  handle: () => Promise<never> | Promise<{ statusCode: number; headers: Record<string, string>; body: string }>,
) {
  const entered = Promise.withResolvers<void>();
  const gateway: Gateway = await startGateway({
    port: 0,
    drainSeconds: 0.2,
    groups: [
      {
        prefixes: ["/"],
        handle: () => {
          entered.resolve();
          return handle();
        },
      },
    ],
  });
  return { gateway, entered: entered.promise };
}

test("a request that never ends does not keep the gateway from closing", async () => {
  const { gateway, entered } = await gatewayOf(() => new Promise<never>(() => {}));
  const answer = fetch(gateway.url).then(
    () => "answered",
    () => "cut off",
  );
  await entered;
  await gateway.close();
  expect(await answer).toBe("cut off");
});

test("closing waits for a request that is answered in time", async () => {
  const { promise, resolve } = Promise.withResolvers<{
    statusCode: number;
    headers: Record<string, string>;
    body: string;
  }>();
  const { gateway, entered } = await gatewayOf(() => promise);
  const answer = fetch(gateway.url);
  await entered;
  const closed = gateway.close();
  resolve({ statusCode: 200, headers: {}, body: "done" });
  expect(await (await answer).text()).toBe("done");
  await closed;
});
