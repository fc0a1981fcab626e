import { loadEnv } from "vite";
import { defineConfig } from "vitest/config";
import { early } from "./early.ts";
import { toml } from "./toml.ts";

/** Where `npm run dev` finds a running `ackclock serve`. */
const SERVER = "http://127.0.0.1:8765";

export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [toml(), mode === "site" ? early() : null],
  build: {
    // The server gives out what lies there; the wheel carries it. The page without a server is for any web server.
    outDir: mode === "site" ? "../out/play" : "../python/ackclock/server/static",
    emptyOutDir: true,
    target: "es2022",
    // The page allows no inline data beside its own files (Content-Security-Policy).
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // The server answers its own page only, and who knows the token that it printed.
  server: { proxy: { "/api": { target: SERVER, changeOrigin: true, headers: { origin: SERVER, ...bearer(mode) } } } },
  // With their text: a test computes the contrasts of the colours.
  test: { include: ["tests/**/*.test.ts"], css: true },
}));

/** The header with the token of `ackclock serve`, from the environment: ACKCLOCK_TOKEN=... npm run dev. */
function bearer(mode: string): Record<string, string> {
  const token = loadEnv(mode, ".", "ACKCLOCK_")["ACKCLOCK_TOKEN"];
  return token ? { authorization: `Bearer ${token}` } : {};
}
