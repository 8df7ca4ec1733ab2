import type { Request } from "./HttpMessage.ts"

/** An operation that needs a bearer token (contract 5.5). */
export interface Endpoint {
  readonly section: string
  readonly method: "GET" | "POST"
  /** Method and path, as in the API document. */
  readonly name: string
  readonly path: string
  readonly scope: string
  /** A valid body without side effects. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly isEnveloped: boolean
}

const noTask = "/tasks/00000000-0000-4000-8000-000000000000"

/** Every operation with a bearer token. */
export const endpoints: ReadonlyArray<Endpoint> = [
  read("4.3", "/user/profile", "user.profile.readable"),
  write("4.4", "/user/phoneverification", "user.contact.readable", { phone_number: "13812345678" }),
  read("4.5", "/credit", "user.credit.readable"),
  { ...read("4.6", "/localassistant", "user.localassistant.readable"), isEnveloped: true },
  {
    ...write("4.7", "/localassistant/message", "user.localassistant.invokable", { content: "hello", msg_type: "text" }),
    isEnveloped: true
  },
  { ...read("4.8", "/localassistant/message", "user.localassistant.readable"), isEnveloped: true },
  write("4.9", "/tasks", "user.task.invokable", { prompt: "hello" }),
  read("4.10", "/tasks", "user.task.readable"),
  { ...read("4.11", "/tasks/{task_id}", "user.task.readable"), path: noTask },
  write("4.12", "/redemptions", "user.credit.exchange", { code: "NO-SUCH-CODE", request_id: "conformance-0001" })
]

/** The request of an endpoint, without a token. */
export const requestOf = ({ body, method, path }: Endpoint): Request => ({
  method,
  path,
  ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
})

function read(section: string, path: string, scope: string): Endpoint {
  return { section, method: "GET", name: `GET ${path}`, path, scope, isEnveloped: false }
}

function write(section: string, path: string, scope: string, body: Readonly<Record<string, unknown>>): Endpoint {
  return { section, method: "POST", name: `POST ${path}`, path, scope, body, isEnveloped: false }
}
