import { integrationStore } from "./integrationStore.ts";

/** The server that mails are sent through (decisions 7.8). Its sealed field is `password`. */
export interface MailHost {
  /** Host name or address, without a scheme. */
  name: string;
  port: number;
  /** Empty: the server asks for none. */
  username: string;
  /** TLS from the first byte. */
  isTls: boolean;
  from: string;
}

/** There is at most one, under `mailHostId`. */
export const mailHosts = integrationStore<MailHost>("mail-host");
export const mailHostId = "mail-host";
