import type { IncomingMessage, ServerResponse } from "node:http"
import type { Actor } from "../actors/Actor.ts"
import { makeActor } from "../actors/MakeActor.ts"
import { InteractionFailed, type InteractionResult } from "../actors/InteractionResult.ts"
import { ActorError } from "../actors/ActorError.ts"
import type { OptionValue, PickedFile } from "../actors/CommandInput.ts"
import type { ModalValues } from "../actors/ModalInput.ts"
import { canView } from "../state/Permissions.ts"
import type { Context } from "../context/Context.ts"
import { type Body, readBody } from "../http/RequestBody.ts"
import { DiscordError } from "../model/DiscordError.ts"
import { type JsonObject, isJsonObject } from "../validate/Form.ts"
import { isLocale } from "../validate/Localizations.ts"
import { ChannelKind } from "../model/Constants.ts"
import { isVisibleTo } from "../state/MessageVisibility.ts"
import { isNavigation, pageApiRefusal } from "../http/RequestGuard.ts"
import { serveStatic } from "./Static.ts"
import { makeEventStream } from "./EventStream.ts"

/** The page for people and the interface it uses, which acts through the same actors as tests do. */
export interface PageServer {
  readonly serve: (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>
  readonly close: () => void
}

export const makePageServer = (context: Context): PageServer => {
  const stream = makeEventStream(context)

  const handleRequest = async (request: IncomingMessage, url: URL): Promise<PageResponse> => {
    const { searchParams: query } = url
    const route = `${request.method} ${url.pathname.slice("/page/api".length)}`
    const userId = userOf(context, query)
    if (userId === undefined) return { status: 404, body: { error: "There is no such user." } }
    const actor = makeActor(context, userId)
    const channel = query.get("channel") ?? ""
    if (route === "GET /messages") return { status: 200, body: history(context, userId, query) }
    const body = await readBody(request)
    const messageRoute = /^(\w+) \/messages\/(\d+)$/.exec(route)
    switch (messageRoute === null ? route : `${messageRoute[1]} /messages/:id`) {
      case "POST /messages":
        return { status: 200, body: await send(actor, channel, body) }
      case "PATCH /messages/:id":
        return { status: 200, body: await actor.edit(channel, messageRoute?.[2] ?? "", textOf(body, "content")) }
      case "DELETE /messages/:id":
        await actor.delete(channel, messageRoute?.[2] ?? "")
        return { status: 204 }
      case "PUT /reactions":
        await actor.react(channel, query.get("message") ?? "", query.get("emoji") ?? "")
        return { status: 204 }
      case "DELETE /reactions":
        await actor.unreact(channel, query.get("message") ?? "", query.get("emoji") ?? "")
        return { status: 204 }
      case "POST /typing":
        await actor.typing(channel)
        return { status: 204 }
      case "POST /posts":
        return { status: 200, body: await post(actor, channel, body) }
      case "POST /threads":
        return { status: 200, body: await startThread(actor, channel, query.get("message"), textOf(body, "name")) }
      case "POST /language":
        actor.speak(languageOf(body))
        return { status: 204 }
      case "POST /guild-language":
        await actor.request("PATCH", `/guilds/${context.store.guild.guildId}`, { preferred_locale: languageOf(body) })
        return { status: 204 }
      case "POST /direct":
        return { status: 200, body: { id: await actor.openDirect() } }
      case "POST /interactions":
        return { status: 200, body: await interact(actor, body) }
      default:
        return { status: 404, body: { error: "There is no such address." } }
    }
  }

  return {
    serve: async (request, response, url) => {
      const refused = pageApiRefusal(request)
      const mayServeStatic = request.method === "GET" && (refused === undefined || isNavigation(request))
      if (mayServeStatic && (await serveStatic(response, url.pathname))) return undefined
      if (refused !== undefined) return sendJson(response, { status: 403, body: { error: refused } })
      if (!url.pathname.startsWith("/page/api/"))
        return sendJson(response, { status: 404, body: { error: "Not found." } })
      if (request.method === "GET" && url.pathname === "/page/api/events") {
        const userId = userOf(context, url.searchParams)
        if (userId === undefined) return sendJson(response, { status: 404, body: { error: "There is no such user." } })
        return stream.open(userId, response)
      }
      return sendJson(response, await handleRequest(request, url).catch(errorResponse))
    },
    close: stream.close
  }
}

interface PageResponse {
  readonly status: number
  readonly body?: unknown
}

/** The person of a request; the default one when none is named. */
const userOf = ({ store }: Context, query: URLSearchParams): string | undefined => {
  const id = query.get("user") || store.guild.ownerId
  const user = store.users.get(id)
  return user === undefined || user.bot ? undefined : id
}

const history = (context: Context, userId: string, query: URLSearchParams): object => {
  const { render, store } = context
  const channel = store.channels.get(query.get("channel") ?? "")
  if (channel === undefined || !canView(context.store, userId, channel)) throw new ActorError("Unknown Channel")
  const requestedLimit = Number(query.get("limit") ?? 50)
  const limit = Number.isInteger(requestedLimit) ? Math.min(Math.max(requestedLimit, 1), 100) : 50
  const before = query.get("before")
  const historyQuery = { limit, ...(before === null || before === "" ? {} : { before }) }
  const messages = store.messages.history(channel.id, historyQuery, (message) => isVisibleTo(message, userId))
  return { messages: messages.map((message) => render.message(message, userId)) }
}

const send = (actor: Actor, channel: string, body: Body): Promise<unknown> => {
  const replyTo = body.fields.get("reply_to") ?? (isJsonObject(body.json) ? body.json["reply_to"] : undefined)
  return actor.send(
    channel,
    textOf(body, "content"),
    body.files.map(toPickedFile),
    typeof replyTo === "string" && replyTo !== "" ? { replyTo } : {}
  )
}

const post = (actor: Actor, forum: string, body: Body): Promise<unknown> => {
  const tags = textOf(body, "tags")
  return actor.post(forum, textOf(body, "title"), textOf(body, "content"), {
    files: body.files.map(toPickedFile),
    tags: tags === "" ? [] : tags.split(",")
  })
}

const startThread = (actor: Actor, channel: string, message: string | null, name: string): Promise<unknown> =>
  message === null
    ? actor.request("POST", `/channels/${requireNumericId(channel)}/threads`, { name, type: ChannelKind.publicThread })
    : actor.request("POST", `/channels/${requireNumericId(channel)}/messages/${requireNumericId(message)}/threads`, {
        name
      })

/** An id that becomes a part of a path. */
const requireNumericId = (id: string): string => {
  if (!/^\d+$/.test(id)) throw new ActorError("Unknown Channel")
  return id
}

const interact = async (actor: Actor, body: Body): Promise<object> => {
  const fields: JsonObject = isJsonObject(body.json) ? body.json : {}
  const readText = (key: string): string => (typeof fields[key] === "string" ? fields[key] : "")
  const channel = readText("channel")
  const path = readText("path")
  try {
    switch (fields["kind"]) {
      case "command":
        return withoutSettled(await actor.command(channel, path, optionsOf(fields, body)))
      case "component": {
        const { values } = fields
        const message = readText("message")
        const customId = readText("customId")
        if (!Array.isArray(values)) return withoutSettled(await actor.press(channel, message, customId))
        return withoutSettled(
          await actor.select(
            channel,
            message,
            customId,
            values.filter((value) => typeof value === "string")
          )
        )
      }
      case "message_command":
        return withoutSettled(await actor.messageCommand(channel, readText("message"), path))
      case "user_command":
        return withoutSettled(await actor.userCommand(channel, readText("target"), path))
      case "modal": {
        const values = isJsonObject(fields["values"]) ? (fields["values"] as ModalValues) : {}
        return withoutSettled(await actor.submit({ id: readText("interaction") }, values, filesByField(body)))
      }
      case "autocomplete": {
        const options = Object.fromEntries(
          Object.entries(optionsOf(fields, body)).map(([key, value]) => [key, String(value)])
        )
        const choices = await actor.autocomplete(channel, path, options, readText("focused"))
        return { type: "choices", choices }
      }
      default:
        throw new ActorError("kind must be command, message_command, user_command, component, modal or autocomplete")
    }
  } catch (cause) {
    if (cause instanceof InteractionFailed) return withoutSettled(cause.result)
    throw cause
  }
}

const withoutSettled = (result: InteractionResult): object => ({ ...result, settled: undefined })

/** Plain options from the JSON, attachment options from the files, whose field is `files[option name]`. */
const optionsOf = (fields: JsonObject, body: Body): Record<string, OptionValue> => {
  const options: Record<string, OptionValue> = {}
  for (const [key, value] of Object.entries(isJsonObject(fields["options"]) ? fields["options"] : {}))
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") options[key] = value
  for (const file of body.files) options[file.field] = toPickedFile(file)
  return options
}

const filesByField = (body: Body): Record<string, ReadonlyArray<PickedFile>> => {
  const files: Record<string, ReadonlyArray<PickedFile>> = {}
  for (const file of body.files) files[file.field] = [...(files[file.field] ?? []), toPickedFile(file)]
  return files
}

const toPickedFile = (file: Body["files"][number]): PickedFile => ({
  name: file.name,
  data: file.data,
  ...(file.contentType === undefined ? {} : { contentType: file.contentType })
})

const textOf = (body: Body, key: string): string =>
  body.fields.get(key) ?? (isJsonObject(body.json) && typeof body.json[key] === "string" ? body.json[key] : "")

const languageOf = (body: Body): string => {
  const locale = textOf(body, "locale")
  if (!isLocale(locale)) throw new ActorError("Discord has no clients in this language.")
  return locale
}

const errorResponse = (cause: unknown): PageResponse => {
  if (cause instanceof ActorError) return { status: 400, body: { error: cause.message } }
  if (cause instanceof DiscordError) return { status: cause.status, body: { error: cause.message } }
  throw cause
}

const sendJson = (response: ServerResponse, { body, status }: PageResponse): void => {
  if (body === undefined) return void response.writeHead(status).end()
  response
    .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify(body))
}
