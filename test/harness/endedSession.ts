import type { Locator, Page } from "playwright-core";
import type { Person } from "./people.ts";
import type { Slipway } from "./slipway.ts";

/** Ends what browsers began, as an administrator or another device of the user does. */
export async function endElsewhere({ call }: Pick<Slipway, "call">, { uid }: Pick<Person, "uid">): Promise<void> {
  const path = `/openapi/users/${uid}/sessions`;
  for (const { id, user_agent } of (await call<{ id: string; user_agent: string }[]>("GET", path)).json)
    if (user_agent !== "test") await call("DELETE", `${path}/${id}`);
}

/** Presses something whose call meets a session that has ended, unless what the page asks every few seconds met it first. */
export async function meetsTheEnd(page: Page, pressed: Locator): Promise<void> {
  await pressed.click({ timeout: 3000 }).catch(() => {});
  await page.getByRole("heading", { name: "Your sign-in has ended" }).waitFor();
}
