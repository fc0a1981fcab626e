import { parse } from "smol-toml";
import type { Plugin } from "vite";

/** TOML files as modules: the page gets what they say, and no reader of TOML. A mistake ends the build with its line. */
export function toml(): Plugin {
  return {
    name: "toml",
    transform(text, id) {
      if (!id.endsWith(".toml")) return null;
      return { code: `export default ${JSON.stringify(parse(text))};`, map: null, moduleType: "js" };
    },
  };
}
