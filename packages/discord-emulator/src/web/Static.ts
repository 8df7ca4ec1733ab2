import { readFile } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { contentTypeOf } from "../cdn/FileType.ts"

const folder = fileURLToPath(new URL("dist/page/", import.meta.resolve("@heddle/discord-emulator/package.json")))

const policy =
  "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; style-src 'self' 'unsafe-inline'; script-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const assetTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".woff2": "font/woff2",
  ".map": "application/json"
}

/** Serves the built page: `/` and `/page/assets/<name>`. Returns false for other paths. */
export const serveStatic = async (response: ServerResponse, path: string): Promise<boolean> => {
  const asset = /^\/page\/assets\/([\w-]+(?:\.[\w-]+)+)$/.exec(path)?.[1]
  if (path !== "/" && asset === undefined) return false
  const bytes = await readBuilt(asset === undefined ? ["index.html"] : ["assets", asset])
  if (bytes === undefined && asset !== undefined) return false
  const type = asset === undefined ? "text/html; charset=utf-8" : (assetTypes[extname(asset)] ?? contentTypeOf(asset))
  response
    .writeHead(200, {
      "content-type": bytes === undefined ? "text/plain; charset=utf-8" : type,
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache"
    })
    .end(bytes ?? "The page is not built yet. Build the package first; the API and the gateway already work.\n")
  return true
}

const readBuilt = async (path: ReadonlyArray<string>): Promise<Buffer | undefined> => {
  try {
    return await readFile(join(folder, ...path))
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw cause
  }
}
