import type { Call } from "./walk.ts";

/** A freeze that is over before it is made. */
export async function walkFreezes(call: Call): Promise<void> {
  const freezes = "/openapi/release_plan/v1/freezes";
  const body = { name: "Long ago", reason: "the books are closed", projects: ["walk"], start_time: 1, end_time: 2 };
  const { id } = await call<{ id: string }>(`POST ${freezes}`, { body });
  await call(`GET ${freezes}`);
  const params = { freezeId: id };
  await call(`PUT ${freezes}/{freezeId}`, { params, body: { ...body, end_time: 3 } });
  await call(`DELETE ${freezes}/{freezeId}`, { params });
}
