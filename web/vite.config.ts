import { defineConfig, type EnvironmentOptions, type Plugin } from "vite";

// Each page is built by itself: one script, one style, and the words of each language. Who answers
// a survey seldom opens the dashboard, and what they don't share compresses better in one piece.
function page(name: string, isFirst: boolean): EnvironmentOptions {
  const build = {
    emptyOutDir: isFirst,
    manifest: `${name}.manifest.json`,
    rolldownOptions: { input: [`${name}.html`] },
  };
  return { consumer: "client", build };
}

// Vite would load the styles of what is imported later. Words have none, so nothing is left to do.
const noPreload: Plugin = {
  name: "no-preload",
  enforce: "pre",
  load: (id) =>
    id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load();" : null,
};

// The two pages, as the collector serves them: src/sudare/collector/http/pages.py.
export default defineConfig({
  base: "/static/",
  publicDir: false,
  plugins: [noPreload],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "../src/sudare/collector/static",
    modulePreload: false,
    assetsInlineLimit: 0,
  },
  environments: { client: page("index", true), survey: page("survey", false) },
  builder: {
    async buildApp(builder) {
      for (const each of Object.values(builder.environments)) await builder.build(each);
    },
  },
});
