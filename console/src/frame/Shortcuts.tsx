import { Kbd, Modal } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useWords } from "../words.tsx";

/** Where `g` and a letter lead. */
const places = { p: "/", r: "/v1/releasePlan", s: "/v1/statistics", a: "/administration", o: "/operations" } as const;
const isPlace = (key: string): key is keyof typeof places => key in places;
const sequenceMilliseconds = 1500;

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

/** Listens for keys, and lists them at `?`. */
export function Shortcuts({ search }: { search(): void }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    let goneAt = Number.NEGATIVE_INFINITY;
    const hear = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, timeStamp } = event;
      if ((ctrlKey || metaKey) && key.toLowerCase() === "k") {
        event.preventDefault();
        search();
      }
      if (ctrlKey || metaKey || altKey || isTyping(event)) return;
      if (key === "?") setOpen(true);
      else if (key === "g") goneAt = timeStamp;
      else if (isPlace(key) && timeStamp - goneAt < sequenceMilliseconds) void navigate({ to: places[key] });
      else if (key === "/") {
        const field = document.querySelector<HTMLInputElement>("main input[type=search]");
        if (field === null) return;
        event.preventDefault();
        field.focus();
      }
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, [navigate, search]);
  const all: readonly [string[], string][] = [
    [["Ctrl", "K"], t("Search everything")],
    [["/"], t("Search on this page")],
    [["g", "p"], t("Projects")],
    [["g", "r"], t("Release plans")],
    [["g", "s"], t("Statistics")],
    [["g", "a"], t("Administration")],
    [["g", "o"], t("All operations")],
    [["?"], t("Keyboard shortcuts")],
  ];
  return (
    <Modal
      opened={isOpen}
      onClose={() => setOpen(false)}
      title={t("Keyboard shortcuts")}
      size="sm"
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <dl className="shortcuts">
        {all.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
