import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { type IdentityProvider, startIdentityProvider } from "../harness/identityProvider.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

const button = { name: "Sign in with your identity provider" };
let slipway: Slipway;
let browser: ConsoleBrowser;
let provider: IdentityProvider | undefined;

/** At the provider's own pages. */
async function signInThere(page: Awaited<ReturnType<ConsoleBrowser["opened"]>>["page"], login: string): Promise<void> {
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}

describe.skipIf(chromium === undefined)("people of an identity provider", () => {
  const consolePlace = () => `${slipway.runtime.url}/console`;

  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    browser = await openBrowser(slipway);
  }, 120_000);
  afterEach(async () => {
    await provider?.close();
    provider = undefined;
  });
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test("are asked for a password alone where there is none", async () => {
    const { page } = await browser.opened();
    await page.goto(`${consolePlace()}/sign-in`);
    await browser.settled(page);
    expect(await page.getByRole("button", button).count()).toBe(0);
  });

  test("sign in there and come to the page that they wanted", async () => {
    provider = await startIdentityProvider(`${consolePlace()}/signed-on`);
    provider.claims.set("ada", { preferred_username: "ada", name: "Ada of elsewhere" });
    const { page, faults } = await browser.opened();
    await page.goto(`${consolePlace()}/account`);
    await page.getByRole("button", button).click();
    await signInThere(page, "ada");
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    expect(page.url()).toBe(`${consolePlace()}/account`);
    expect(await page.getByText("Ada of elsewhere").count()).toBeGreaterThan(0);
    // The provider's own pages ask whom they like.
    expect(faults.filter((fault) => !fault.startsWith("asked "))).toEqual([]);
    const { json } = await slipway.call<{ users: { account: string; identity_type: string }[] }>(
      "GET",
      "/openapi/users?pageSize=20",
    );
    expect(json.users).toContainEqual(expect.objectContaining({ account: "ada" }));
  });

  test("go on in place when they signed in again in another tab", async () => {
    provider = await startIdentityProvider(`${consolePlace()}/signed-on`);
    provider.claims.set("eve", { preferred_username: "eve" });
    const { page } = await browser.opened();
    await page.goto(`${consolePlace()}/account`);
    await page.getByRole("button", button).click();
    await signInThere(page, "eve");
    await page.getByRole("heading", { name: "API tokens" }).waitFor();
    expect(await page.getByRole("heading", { name: "Two-factor sign-in" }).count()).toBe(0);
    await page.getByLabel("Projects, separated").fill("typed before");
    const { uid } = await page.evaluate<{ uid: string }>("JSON.parse(localStorage.getItem('slipway.session'))");
    const { json } = await slipway.call<{ id: string }[]>("GET", `/openapi/users/${uid}/sessions`);
    await slipway.call("DELETE", `/openapi/users/${uid}/sessions/${json[0]?.id}`);
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("ci");
    await page.getByRole("button", { name: "Create" }).click();
    const link = page.getByRole("link", { name: "Sign in with your identity provider in another tab" });
    const [other] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
    await other.getByRole("button", button).click();
    await other.getByRole("button", { name: "Sign out", exact: true }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.getByLabel("Projects, separated").inputValue()).toBe("typed before");
    await page.context().close();
  });

  test("hear why when they come back twice, or when the provider refuses", async () => {
    provider = await startIdentityProvider(`${consolePlace()}/signed-on`);
    const { page } = await browser.opened();
    await page.goto(`${consolePlace()}/signed-on?error=access_denied&error_description=not+today&state=x`);
    await page.getByText("this browser did not begin the sign-in", { exact: false }).waitFor();
    await page.getByRole("link", { name: "Sign in again" }).click();
    await page.getByRole("button", button).waitFor();
    expect(page.url()).toBe(`${consolePlace()}/sign-in`);
  });

  test("hear where a provider would send them instead", async () => {
    provider = await startIdentityProvider();
    const { page } = await browser.opened();
    await page.goto(`${consolePlace()}/sign-in`);
    await page.getByRole("button", button).click();
    await page.getByText(`SLIPWAY_OIDC_REDIRECT_URI has to be ${consolePlace()}/signed-on`, { exact: false }).waitFor();
  });

  test.each(looks)("find a page that looks right: %s", async (name, look) => {
    provider = await startIdentityProvider(`${consolePlace()}/signed-on`);
    const { page } = await browser.opened(look);
    await page.goto(`${consolePlace()}/sign-in`);
    await page.getByRole("button", button).waitFor();
    await browser.looksRight(page, `sign-in-provider-${name}`);
  });
});
