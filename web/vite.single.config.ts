import { defineConfig } from "vite";

/** One script and one style for a page of one recording (src/app/single.ts), which Python writes into one HTML file. */
export default defineConfig({
  publicDir: false,
  build: {
    outDir: "../python/ackclock/server/static/single",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: "src/app/single.ts",
      output: { entryFileNames: "single.js", assetFileNames: "single[extname]" },
    },
  },
});
