import { expect, test } from "vitest";
import { type Gateway, startGateway } from "../../infra/local/gateway.ts";

async function gatewayOf(
  handle: () => Promise<never> | Promise<{ statusCode: number; headers: Record<string, string>; body: string }>,
  drainSeconds: number,
) {
  const entered = Promise.withResolvers<void>();
  const gateway: Gateway = await startGateway({
    port: 0,
    drainSeconds,
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
  const { gateway, entered } = await gatewayOf(() => new Promise<never>(() => {}), 0.2);
  const answer = fetch(gateway.url).then(
    () => "answered",
    () => "cut off",
  );
  await entered;
  await gateway.close();
  expect(await answer).toBe("cut off");
});

test("closing waits for a request that is answered in time, and not for its kept connection", async () => {
  const { promise, resolve } = Promise.withResolvers<{
    statusCode: number;
    headers: Record<string, string>;
    body: string;
  }>();
  const { gateway, entered } = await gatewayOf(() => promise, 600);
  const answer = fetch(gateway.url);
  await entered;
  const closed = gateway.close();
  resolve({ statusCode: 200, headers: {}, body: "done" });
  expect(await (await answer).text()).toBe("done");
  await closed;
});
