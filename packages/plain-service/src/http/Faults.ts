import type { ApiRequest } from "./ApiRequest.ts"
import { Refusal } from "./Refusal.ts"
import { Reply } from "./Reply.ts"

/** What a fault answers instead of the service. */
export interface FaultStatus {
  readonly status: number
  readonly retryAfterSeconds?: number
  /** Text, or a value to write as JSON. */
  readonly body?: unknown
}

/** A rule by which requests go wrong. */
export interface FaultRule {
  readonly method?: string
  /** Tested against the path without its query. */
  readonly path?: RegExp
  /** A JSON-RPC method on the ACP channel, or "response". */
  readonly rpcMethod?: string
  /** "before": the service does not act. "after": it acts fully, then this happens. */
  readonly when: "before" | "after"
  readonly effect: FaultStatus | "reset" | "hang" | { readonly delayMs: number }
  /** How many requests go wrong: 1 when omitted. */
  readonly times?: number
}

const codes: Readonly<Record<number, string>> = {
  401: "invalid_token",
  403: "access_denied",
  404: "not_found",
  409: "invalid_request",
  429: "rate_limited",
  502: "server error",
  503: "temporarily unavailable"
}

/** The rules that are in force. Each request meets the first rule that fits (7.1). */
export class Faults {
  readonly #rules = new Set<{ readonly rule: FaultRule; left: number }>()

  /** Gives the function that removes the rule. */
  add(rule: FaultRule): () => void {
    const entry = { rule, left: rule.times ?? 1 }
    this.#rules.add(entry)
    return () => void this.#rules.delete(entry)
  }

  clear(): void {
    this.#rules.clear()
  }

  take(request: ApiRequest): FaultRule | undefined {
    for (const entry of this.#rules) {
      if (!fits(entry.rule, request)) continue
      entry.left -= 1
      if (entry.left <= 0) this.#rules.delete(entry)
      return entry.rule
    }
    return undefined
  }

  static reply({ body, retryAfterSeconds, status }: FaultStatus, request: ApiRequest): Reply {
    const code = codes[status] ?? (status < 500 ? "invalid_request" : "server_error")
    const usual = request.path.endsWith("/api/session/artifacts")
      ? Refusal.artifact(status, code).reply
      : Refusal.api(status, code, "a fault of the service").reply
    const reply =
      body === undefined ? usual : typeof body === "string" ? Reply.text(status, body) : Reply.json(status, body)
    if (retryAfterSeconds === undefined) return reply
    return { ...reply, headers: { ...reply.headers, "Retry-After": String(retryAfterSeconds) } }
  }
}

const fits = (rule: FaultRule, request: ApiRequest): boolean =>
  (rule.method === undefined || rule.method === request.method) &&
  (rule.path === undefined || rule.path.test(request.path)) &&
  (rule.rpcMethod === undefined || rule.rpcMethod === request.rpcMethod)
