import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** An empty folder whose name starts with `prefix`; it is deleted when the scope closes. */
export const folder = (prefix: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), prefix))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
