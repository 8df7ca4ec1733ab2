import { NO_RESPONSE } from "../model/Errors.ts"
import type { InteractionResponse, Message } from "../model/Types.ts"

/** The error of a failed call, with a message for people; `offline` when there was no response. */
export class ApiError extends Error {
  readonly offline: boolean
  constructor(message: string, offline: boolean) {
    super(message)
    this.name = "ApiError"
    this.offline = offline
  }
}

// A request to the bot by a person.
type Interaction =
  | { readonly kind: "command"; readonly channel: string; readonly path: string; readonly options: Options }
  | {
      readonly kind: "component"
      readonly channel: string
      readonly message: string
      readonly customId: string
      readonly values?: ReadonlyArray<string>
    }
  | {
      readonly kind: "message_command"
      readonly channel: string
      readonly message: string
      readonly path: string
    }
  | { readonly kind: "user_command"; readonly channel: string; readonly target: string; readonly path: string }
  | { readonly kind: "modal"; readonly interaction: string; readonly values: Options }
  | {
      readonly kind: "autocomplete"
      readonly channel: string
      readonly path: string
      readonly options: Options
      readonly focused: string
    }

/** Option or field values by name; files travel beside it under the same name. */
export type Options = Readonly<Record<string, string | number | boolean | ReadonlyArray<string>>>

/** Files by the option or field they are for. */
export type Files = Readonly<Record<string, ReadonlyArray<File>>>

/** The calls of the page to its server. Every call rejects with `ApiError`. */
export interface Api {
  readonly eventsUrl: (person: string | undefined) => string
  readonly messages: (channel: string, before?: string) => Promise<ReadonlyArray<Message>>
  readonly send: (channel: string, content: string, files: ReadonlyArray<File>, replyTo?: string) => Promise<Message>
  readonly edit: (channel: string, message: string, content: string) => Promise<void>
  readonly remove: (channel: string, message: string) => Promise<void>
  readonly react: (channel: string, message: string, emoji: string, isAdded: boolean) => Promise<void>
  readonly typing: (channel: string) => Promise<void>
  /** Creates a forum post and returns its id. */
  readonly post: (forum: string, post: NewPost) => Promise<string>
  /** Starts a thread, at a message or without one, and returns its id. */
  readonly thread: (channel: string, name: string, message?: string) => Promise<string>
  /** Changes the language of the person's client, or that of the server. */
  readonly setLanguage: (locale: string, whose: "mine" | "server") => Promise<void>
  /** Returns the id of the direct channel with the bot. */
  readonly openDirect: () => Promise<string>
  readonly interact: (interaction: Interaction, files?: Files) => Promise<InteractionResponse>
}

/** What a person writes to open a post in a forum. */
export interface NewPost {
  readonly title: string
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly files: ReadonlyArray<File>
}

/** How many messages one page of history has. */
export const PAGE_SIZE = 50

/** Calls the server of the page as the person that `person` returns. */
export const makeApi = (person: () => string | undefined): Api => {
  const url = (path: string, query: Readonly<Record<string, string | undefined>> = {}): string => {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries({ user: person(), ...query })) {
      if (value !== undefined) search.set(name, value)
    }
    return `/page/api/${path}?${search}`
  }
  return {
    eventsUrl: (user) => url("events", { user }),
    messages: async (channel, before) => {
      const body = await call("GET", url("messages", { channel, before, limit: String(PAGE_SIZE) }))
      return isRecord(body) && Array.isArray(body["messages"]) ? (body["messages"] as Array<Message>) : []
    },
    send: async (channel, content, files, replyTo) => {
      const form = new FormData()
      form.set("content", content)
      if (replyTo !== undefined) form.set("reply_to", replyTo)
      for (const file of files) form.append("files[]", file, file.name)
      return (await call("POST", url("messages", { channel }), form)) as Message
    },
    edit: async (channel, message, content) => {
      await call("PATCH", url(`messages/${message}`, { channel }), { content })
    },
    remove: async (channel, message) => {
      await call("DELETE", url(`messages/${message}`, { channel }))
    },
    react: async (channel, message, emoji, isAdded) => {
      await call(isAdded ? "PUT" : "DELETE", url("reactions", { channel, message, emoji }))
    },
    typing: async (channel) => {
      await call("POST", url("typing", { channel }))
    },
    post: async (forum, { content, files, tags, title }) => {
      const form = new FormData()
      form.set("title", title)
      form.set("content", content)
      form.set("tags", tags.join(","))
      for (const file of files) form.append("files[]", file, file.name)
      return idOf(await call("POST", url("posts", { channel: forum }), form))
    },
    thread: async (channel, name, message) => idOf(await call("POST", url("threads", { channel, message }), { name })),
    setLanguage: async (locale, whose) => {
      await call("POST", url(whose === "mine" ? "language" : "guild-language"), { locale })
    },
    openDirect: async () => idOf(await call("POST", url("direct"))),
    interact: async (interaction, files = {}) => {
      if (Object.keys(files).length === 0) {
        return (await call("POST", url("interactions"), interaction)) as InteractionResponse
      }
      const form = new FormData()
      form.set("payload_json", JSON.stringify(interaction))
      for (const [name, list] of Object.entries(files)) {
        for (const file of list) form.append(`files[${name}]`, file, file.name)
      }
      return (await call("POST", url("interactions"), form)) as InteractionResponse
    }
  }
}

const call = async (method: string, url: string, body?: FormData | object): Promise<unknown> => {
  const init: RequestInit = { method, signal: AbortSignal.timeout(60_000) }
  if (body instanceof FormData) {
    init.body = body
  } else if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers = { "content-type": "application/json" }
  }
  let response: Response
  let text: string
  try {
    response = await fetch(url, init)
    text = await response.text()
  } catch {
    throw new ApiError(NO_RESPONSE, true)
  }
  const responseBody = parse(text)
  if (!response.ok) throw new ApiError(explain(responseBody, response.status), false)
  return responseBody
}

const idOf = (body: unknown): string => (isRecord(body) ? String(body["id"]) : "")

const parse = (text: string): unknown => {
  if (text === "") return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Errors of the page server have `error`. Discord's error bodies have `message`, with the reasons nested below each
// field.
const explain = (body: unknown, status: number): string => {
  if (isRecord(body) && typeof body["error"] === "string") return body["error"]
  if (!isRecord(body) || typeof body["message"] !== "string") return `The server refused this (status ${status}).`
  const reasons = [...reasonsIn(body["errors"])]
  return reasons.length > 0 ? reasons.join(" ") : body["message"]
}

function* reasonsIn(errors: unknown): Generator<string> {
  if (Array.isArray(errors)) {
    for (const entry of errors) {
      if (isRecord(entry) && typeof entry["message"] === "string") yield entry["message"]
    }
  } else if (isRecord(errors)) {
    for (const nested of Object.values(errors)) yield* reasonsIn(nested)
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null
