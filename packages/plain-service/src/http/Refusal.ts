import { randomUUID } from "node:crypto"
import { Reply } from "./Reply.ts"

/** Ends the handling of a request with an error reply (7). */
export class Refusal extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(`refused with ${reply.status}`)
    this.reply = reply
  }

  /** An error of the Open API; the document does not show its body (7.1). */
  static api(
    status: number,
    code: string,
    description: string,
    headers: Readonly<Record<string, string>> = {}
  ): Refusal {
    const body = { error: code, error_description: description, request_id: randomUUID() }
    return new Refusal(Reply.json(status, body, headers))
  }

  /** A parameter that is missing or wrong (7.1). */
  static invalid(description: string): Refusal {
    return Refusal.api(400, "invalid_request", description)
  }

  /** An error of the artifact endpoint (7.2). */
  static artifact(status: number, msg: string): Refusal {
    return new Refusal(Reply.json(status, { code: 1, msg }))
  }
}
