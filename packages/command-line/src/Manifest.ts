import { readFileSync } from "node:fs"

/** The version in the package.json at this URL. */
export const version = (manifest: string): string => String(JSON.parse(readFileSync(new URL(manifest), "utf8")).version)
