import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { chinese } from "./chinese.ts";
import { serverWords } from "./serverWords.ts";

export type Language = "en" | "zh";
/** English sentences are the keys; `{name}` in one is replaced by a value. */
type Translate = (english: keyof typeof chinese, values?: Readonly<Record<string, string | number>>) => string;

const place = "slipway.language";
const Words = createContext<{ language: Language; choose(language: Language): void }>({
  language: "en",
  choose: () => {},
});

function firstLanguage(): Language {
  const chosen = localStorage.getItem(place) ?? navigator.language;
  return chosen.startsWith("zh") ? "zh" : "en";
}

export function WordsProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = (next: Language): void => {
    localStorage.setItem(place, next);
    setLanguage(next);
  };
  return <Words value={{ language, choose }}>{children}</Words>;
}

export function useWords() {
  const { language, choose } = useContext(Words);
  const t: Translate = (english, values = {}) => {
    const text: string = language === "zh" ? chinese[english] : english;
    return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
  };
  /** A word of the server as people read it: in English its underscores go. */
  const word = (said: string): string => (language === "zh" && serverWords[said]) || said.replaceAll("_", " ");
  /** How the reader writes dates and numbers: as the browser says, where it speaks the page's language. */
  const locale = navigator.languages.find((one) => one.startsWith(language)) ?? language;
  return { t, word, language, locale, choose };
}
