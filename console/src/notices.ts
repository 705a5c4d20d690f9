import { notifications } from "@mantine/notifications";

/** Says that something was done, in a corner of the page, for some seconds. */
export function note(message: string): void {
  notifications.show({ message, color: "teal", withBorder: true, withCloseButton: false });
}
