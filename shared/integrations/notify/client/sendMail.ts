import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { operatorPolicy } from "../../../base/outbound/operatorPolicy.ts";
import { OutboundFailed, OutboundRefused } from "../../../base/outbound/outboundErrors.ts";
import { outboundTcp } from "../../../base/outbound/outboundTcp.ts";
import { NotDelivered, undeliverable } from "./notDelivered.ts";

export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS, which only servers that the operator allowed may do without. */
  isTls: boolean;
  /** Empty: the server asks for none. */
  username: string;
  password: string;
  from: string;
}

export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The same in every repetition. */
  messageId: string;
}

const connectSeconds = 10;
const answerSeconds = 15;

/**
 * Sends one mail, as text and as HTML, over a connection that passed the outbound policy (decisions 5.8, 7.8).
 * @throws NotDelivered
 */
export async function sendMail(server: MailServer, mail: OutgoingMail): Promise<void> {
  const { socket, mayBePlain } = await connected(server);
  const connection = new SMTPConnection({
    connection: socket,
    host: server.host,
    secure: server.isTls,
    requireTLS: !server.isTls && !mayBePlain,
    greetingTimeout: answerSeconds * 1000,
    socketTimeout: answerSeconds * 1000,
    // The certificate of a server that may be spoken to in the clear proves nothing that is needed.
    opportunisticTLS: mayBePlain,
    tls: { rejectUnauthorized: !mayBePlain },
    maxResponseSize: 64 * 1024,
  });
  try {
    const failed = new Promise<never>((_, reject) => connection.once("error", reject));
    await Promise.race([failed, exchange(connection, server, mail)]);
  } catch (error) {
    throw toNotDelivered(error);
  } finally {
    connection.close();
    socket.destroy();
  }
}

async function connected({ host, port }: MailServer) {
  try {
    return await outboundTcp(operatorPolicy(), { host, port }, connectSeconds);
  } catch (error) {
    if (error instanceof OutboundRefused) throw undeliverable(error.message);
    if (error instanceof OutboundFailed) throw new NotDelivered(error.message, { isWorthAnother: true, cause: error });
    throw error;
  }
}

async function exchange(connection: SMTPConnection, server: MailServer, mail: OutgoingMail): Promise<void> {
  const { username: user, password: pass, from } = server;
  await step((done) => connection.connect(done));
  if (user !== "") await step((done) => connection.login({ user, pass }, done));
  const { to, subject, text, html, messageId } = mail;
  const composed = new MailComposer({
    from,
    to,
    subject,
    text,
    html,
    messageId,
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const source = await composed.build();
  await step((done) => connection.send(composed.getEnvelope(), source, done));
  connection.quit();
}

function step(run: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => run((error) => (error ? reject(error) : resolve())));
}

/** The server's own words say best what is wrong; a refusal for good (5xx) is not asked again. */
function toNotDelivered(error: unknown): NotDelivered {
  const { message, responseCode = 0 } = error as Error & { responseCode?: number };
  const problem = `the mail server did not take the mail: ${message.slice(0, 300)}`;
  return new NotDelivered(problem, { isWorthAnother: responseCode < 500, cause: error });
}
