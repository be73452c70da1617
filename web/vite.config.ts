import { createHash } from "node:crypto";

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

type Built = Parameters<Extract<Plugin["generateBundle"], Function>>[1];

// A page names the digest of every file that it loads, so that its own digest stands for all of them.
// Of what is imported later the digest stands in an import map; browsers check that of a script by it.
const integrity: Plugin = {
  name: "integrity",
  enforce: "post",
  generateBundle: { order: "post", handler: (_, bundle) => addDigests(bundle) },
};

function addDigests(bundle: Built): void {
  const digests = new Map<string, string>();
  const later: Record<string, string> = {};
  for (const file of Object.values(bundle)) {
    if (/\.(html|json)$/.test(file.fileName)) continue;
    const contents = file.type === "chunk" ? file.code : file.source;
    const digest = `sha256-${createHash("sha256").update(contents).digest("base64")}`;
    digests.set(`${BASE}${file.fileName}`, digest);
    if (file.type === "chunk" && !file.isEntry) later[`${BASE}${file.fileName}`] = digest;
  }
  const map = `<script type="importmap">${JSON.stringify({ integrity: later })}</script>`;
  for (const file of Object.values(bundle)) {
    if (file.type !== "asset" || !file.fileName.endsWith(".html")) continue;
    file.source = `${file.source}`
      .replace(/ (src|href)="(\/[^"]+)"/g, (named, _, path: string) => {
        const digest = digests.get(path);
        if (!digest) throw new Error(`${path} was not built`);
        return ` integrity="${digest}"${named}`;
      })
      .replace('<script type="module"', `${map}\n    $&`);
  }
}

const BASE = "/static/";

// The pages, as the collector serves them: src/sudare/collector/http/pages.py.
export default defineConfig({
  base: BASE,
  publicDir: false,
  plugins: [noPreload, integrity],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "../src/sudare/collector/static",
    modulePreload: false,
    assetsInlineLimit: 0,
  },
  environments: {
    client: page("index", true),
    survey: page("survey", false),
    plan: page("plan", false),
  },
  builder: {
    async buildApp(builder) {
      for (const each of Object.values(builder.environments)) await builder.build(each);
    },
  },
});
