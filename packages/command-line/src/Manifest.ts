import { readFileSync } from "node:fs"

/** The version in a package.json, which is named by its URL. */
export const version = (manifest: string): string => String(JSON.parse(readFileSync(new URL(manifest), "utf8")).version)
