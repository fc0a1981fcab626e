import type { Plugin } from "vite";

/** What the page without a server needs at once, named in its head: the browser fetches all of it together. */
export function early(): Plugin {
  return {
    name: "early",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle = {} }) => [
        { tag: "link", attrs: { rel: "preload", href: "./ackclock.wasm", as: "fetch", crossorigin: true } },
        ...Object.values(bundle)
          .filter((part) => part.type === "chunk" && part.isDynamicEntry)
          .map(({ fileName }) => ({ tag: "link", attrs: { rel: "modulepreload", href: `./${fileName}` } })),
      ],
    },
  };
}
