import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { queries } from "./queries.ts";
import { router } from "./router.tsx";
import { WordsProvider } from "./words.tsx";
import "./styles.css";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no element for the console");
createRoot(root).render(
  <WordsProvider>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </WordsProvider>,
);
