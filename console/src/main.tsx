import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { queries } from "./queries.ts";
import { router } from "./router.tsx";
import { colours, theme } from "./theme.ts";
import { WordsProvider } from "./words.tsx";
import "./mantine.css";
import "./styles.css";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no element for the console");
// What Mantine would write into style elements of the page is in its style sheets: the content security policy allows no others.
createRoot(root).render(
  <MantineProvider
    theme={theme}
    colorSchemeManager={colours}
    defaultColorScheme="auto"
    withCssVariables={false}
    withGlobalClasses={false}
  >
    <WordsProvider>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Notifications position="bottom-right" limit={3} autoClose={6000} />
      </QueryClientProvider>
    </WordsProvider>
  </MantineProvider>,
);
