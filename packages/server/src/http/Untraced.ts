import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import * as AuthorizePages from "./AuthorizePages.ts"
import * as DevicePages from "./DevicePages.ts"

/**
 * Tells which requests must leave no span: their address or their answer's `location` carries a secret, such as an
 * authorization code, a `state` or a signature, and the platform writes both into its spans.
 */
export const untraced = ({ url }: HttpServerRequest): boolean => {
  try {
    const { pathname, searchParams } = new URL(url, "http://any")
    const path = decodeURIComponent(pathname)
    const secretive = [AuthorizePages.path, DevicePages.path].some((page) => path.startsWith(page))
    return secretive || ["signature", "code", "user_code"].some((name) => searchParams.has(name))
  } catch {
    // An address that cannot be read might hold anything.
    return true
  }
}
