import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { taskMessage } from "../../../../shared/integrations/notify/rules/taskMessage.ts";
import { parsedMail, readsMails } from "../../../harness/parsedMail.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { testCertificate } from "../../kube/client/testCertificate.ts";
import { ended, freshNotice, tell } from "./deliveries.ts";

let slipway: Slipway;
let server: SMTPServer;
let port: number;
const mails: { from: string; to: string[]; source: Buffer; text: string; user: unknown; isEncrypted: boolean }[] = [];
const path = "/api/aslan/system/email/host";

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  server = new SMTPServer({
    ...testCertificate,
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      username === "ci" && password === "PASSWORD-1"
        ? done(null, { user: username })
        : done(new Error("wrong password")),
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(parts),
          text: Buffer.concat(parts).toString("utf8"),
          user: session.user,
          isEncrypted: session.secure,
        });
        done();
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  port = (server.server.address() as AddressInfo).port;
});

afterAll(async () => {
  await slipway.close();
  await new Promise<void>((resolve) => server.close(resolve));
});

beforeEach(async () => {
  mails.length = 0;
  await slipway.call("DELETE", path);
});

const host = () => ({ name: "127.0.0.1", port, username: "ci", password: "PASSWORD-1", from: "CI <ci@example.com>" });
const mailTo = (...target_users: object[]) => ({ webhook_type: "mail", mail_notification_config: { target_users } });

test("a mail goes to every distinct address, encrypted where the server can, as text and as HTML", async () => {
  await slipway.call("POST", path, { body: host() });
  const account = { name: "Bob", account: "bob", password: "Passw0rd-1", email: "bob@example.com" };
  const { json: bob } = await slipway.call<{ uid: string }>("POST", "/api/v1/users", { body: account });
  const notice = freshNotice({ remark: "caf\u00e9 <b>" });
  await tell(notice, [
    mailTo(
      { type: "user", user_id: bob.uid },
      { type: "email", user_name: "BOB@example.com" },
      { type: "task_creator" },
      { type: "email", user_name: "a@example.com, b@example.com" },
      { type: "user", user_id: "nobody" },
    ),
  ]);
  const deliveries = await ended(notice, 2);
  expect(deliveries.map(({ target, status }) => `${target} ${status}`.toLowerCase()).sort()).toEqual(
    ["bob@example.com sent", "ada@example.com sent"].sort(),
  );
  expect(mails.map(({ to }) => to.join().toLowerCase()).sort()).toEqual(["ada@example.com", "bob@example.com"]);
  const [mail] = mails;
  expect(mail).toMatchObject({ from: "ci@example.com", user: "ci", isEncrypted: true });
  expect(mail?.text).toMatch(/^From: CI <ci@example\.com>\r$/m);
  expect(mail?.text).toMatch(/^Subject: =\?UTF-8\?/m);
  expect(mail?.text).toMatch(/^Content-Type: multipart\/alternative/m);
  expect(mail?.text).toMatch(/^Content-Type: text\/plain; charset=utf-8/m);
  expect(mail?.text).toMatch(/^Content-Type: text\/html; charset=utf-8/m);
  expect(mail?.text).toMatch(/^Message-ID: <[0-9a-f]+\.[0-9a-f]+@slipway>/m);
});

test.skipIf(!readsMails)("a reader of mails finds the whole message in both parts, whatever is in it", async () => {
  await slipway.call("POST", path, { body: { ...host(), from: "Grüße CI <ci@example.com>" } });
  const long = "wörter ".repeat(300).trim();
  const remark = `café <b> 发布 👍 =3D\n.\nFrom the start\n${long}`;
  const displayName = `Ship ${"the ünübersehbar shop ".repeat(6)}👍`;
  const notice = freshNotice({ remark, workflow: { ...freshNotice().workflow, displayName } });
  await tell(notice, [mailTo({ type: "task_creator" })]);
  await ended(notice, 1);
  const mail = parsedMail(mails[0]?.source ?? Buffer.alloc(0));
  expect(mail).toMatchObject({
    ...{ defects: [], type: "multipart/alternative", to: ["ada@example.com"] },
    from: [["Grüße CI", "ci@example.com"]],
  });
  expect(mail.subject).toBe(taskMessage(notice, "failed").title);
  expect(Math.abs(mail.time - Date.now() / 1000)).toBeLessThan(60);
  const [[plain, text] = [], [rich, html] = []] = mail.parts;
  expect([plain, rich, mail.parts.length]).toEqual(["text/plain", "text/html", 2]);
  for (const piece of ["café <b> 发布 👍 =3D", "From the start", long, "ünübersehbar"]) expect(text).toContain(piece);
  for (const piece of ["café &lt;b&gt; 发布 👍 =3D", long, "ünübersehbar"]) expect(html).toContain(piece);
});

test("a server that refuses the password for good is not asked again", async () => {
  await slipway.call("POST", path, { body: { ...host(), password: "PASSWORD-2" } });
  const notice = freshNotice();
  await tell(notice, [mailTo({ type: "task_creator" })]);
  const [delivery] = await ended(notice, 1);
  expect(delivery?.status).toBe("failed");
  expect(delivery?.tries).toMatchObject([{ problem: expect.stringContaining("wrong password") }]);
  expect(JSON.stringify(delivery)).not.toContain("PASSWORD-2");
});

test("a mail server that may not be reached, and none at all, are named", async () => {
  const notices = [freshNotice(), freshNotice()];
  for (const [at, notice] of notices.entries()) {
    if (at === 1) await slipway.call("POST", path, { body: { ...host(), name: "10.2.3.4" } });
    await tell(notice, [mailTo({ type: "task_creator" })]);
    await ended(notice, 1);
  }
  const problems = await Promise.all(notices.map(async (notice) => (await ended(notice, 1))[0]?.tries[0]?.problem));
  expect(problems).toEqual([
    "no mail host is set; set one at /api/aslan/system/email/host",
    expect.stringContaining("10.2.3.4: a private address"),
  ]);
});
