import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import * as AuthorizePages from "./AuthorizePages.ts"

/**
 * Tells which requests must leave no span: their address or their answer's `location` carries a secret, such as an
 * authorization code, a `state` or a signature, and the platform writes both into its spans.
 */
export const untraced = ({ url }: HttpServerRequest): boolean => {
  try {
    const { pathname, searchParams } = new URL(url, "http://any")
    const path = decodeURIComponent(pathname)
    return path.startsWith(AuthorizePages.path) || searchParams.has("signature") || searchParams.has("code")
  } catch {
    // An address that cannot be read might hold anything.
    return true
  }
}
