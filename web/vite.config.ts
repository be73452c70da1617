import { defineConfig } from "vite";

// The two pages, as the collector serves them: src/sudare/collector/pages.py.
export default defineConfig({
  base: "/static/",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "../src/sudare/collector/static",
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { input: ["index.html", "survey.html"] },
  },
});
