import assert from "node:assert/strict"
import { request } from "node:http"
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Events,
  MessageFlags,
  ModalBuilder,
  TextInputBuilder,
  LabelBuilder,
  TextInputStyle
} from "discord.js"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Stage, stage } from "../support/Bot.ts"

/** What the answers have that is looked at here. */
interface Reply {
  readonly id: string
  readonly type: string
  readonly content: string
  readonly error: string
  readonly attachments: ReadonlyArray<{ readonly filename: string }>
  readonly message: { readonly id: string; readonly content: string }
  readonly messages: ReadonlyArray<{ readonly id: string; readonly content: string }>
  readonly modal: { readonly components: ReadonlyArray<{ readonly component: { readonly custom_id: string } }> }
  readonly referenced_message: { readonly content: string }
}

interface State {
  readonly me: string
  readonly guild: object
  readonly channels: ReadonlyArray<object>
  readonly commands: ReadonlyArray<{ readonly name: string }>
  readonly users: ReadonlyArray<{ readonly username: string }>
}

interface Change {
  readonly type: string
  readonly [key: string]: unknown
}

describe("the interface of the page", () => {
  let on: Stage
  const closing: Array<() => void> = []
  beforeAll(async () => {
    on = await stage()
    await on.client.application.commands.set(
      [
        { name: "ask", description: "Asks", options: [{ type: 11, name: "file", description: "Data" }] },
        { name: "form", description: "Form" },
        { name: "admin", description: "Owner only", defaultMemberPermissions: 0n }
      ],
      on.emulator.guildId
    )
    on.client.on(Events.InteractionCreate, async (interaction) => {
      if (interaction.isChatInputCommand() && interaction.commandName === "ask") {
        const file = interaction.options.getAttachment("file")
        const button = new ButtonBuilder().setCustomId("yes").setLabel("Yes").setStyle(ButtonStyle.Primary)
        await interaction.reply({
          content: file === null ? "Sure?" : `Got ${file.name}`,
          components: [new ActionRowBuilder<ButtonBuilder>().addComponents(button)],
          flags: MessageFlags.Ephemeral
        })
      } else if (interaction.isChatInputCommand())
        await interaction.showModal(
          new ModalBuilder()
            .setCustomId("f")
            .setTitle("Form")
            .addLabelComponents(
              new LabelBuilder()
                .setLabel("Name")
                .setTextInputComponent(new TextInputBuilder().setCustomId("name").setStyle(TextInputStyle.Short))
            )
        )
      else if (interaction.isButton()) await interaction.update({ content: "Yes!", components: [] })
      else if (interaction.isModalSubmit())
        await interaction.reply(`Hello ${interaction.fields.getTextInputValue("name")}`)
    })
  })
  afterAll(async () => {
    for (const close of closing) close()
    await on.close()
  })

  const origin = (): string => on.emulator.page.slice(0, -1)
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const form = body instanceof FormData
    const response = await fetch(`${origin()}/page/api${path}`, {
      method,
      headers: {
        origin: origin(),
        ...(form || body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Reply }
  }

  /** Opens the stream of a person; `until` gives the first change that fits, also one already seen. */
  const watch = async (user: string) => {
    const stop = new AbortController()
    closing.push(() => stop.abort())
    const response = await fetch(`${origin()}/page/api/events?user=${user}`, { signal: stop.signal })
    const changes: Array<Change> = []
    let state: State | undefined
    let look = (): void => undefined
    const reading = (async () => {
      let text = ""
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString("utf8")
        for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
          const [event, data] = text.slice(0, end).split("\n")
          text = text.slice(end + 2)
          const value: unknown = JSON.parse((data ?? "").slice("data: ".length))
          if (event === "event: state") state = value as State
          else changes.push(value as Change)
          look()
        }
      }
    })()
    reading.catch(() => "closed by the test")
    const until = <A>(find: () => A | undefined): Promise<A> =>
      new Promise((resolve) => {
        look = () => {
          const found = find()
          if (found !== undefined) resolve(found)
        }
        look()
      })
    const first = await until(() => state)
    return {
      state: () => first,
      changes,
      until: (fits: (change: Change) => boolean) => until(() => changes.find(fits))
    }
  }

  it("tells who, where and which commands, then every change", async () => {
    const { emulator } = on
    const you = await watch(emulator.user().id)
    const sam = await watch(emulator.user("Sam").id)
    const state = you.state()
    assert.equal(state.me, emulator.user().id)
    assert.deepEqual(state.guild, {
      id: emulator.guildId,
      name: "Local server",
      ownerId: emulator.user().id,
      locale: "en-US",
      canManage: true
    })
    assert.deepEqual(state.channels, [
      {
        id: emulator.channelId,
        name: "general",
        type: 0,
        position: 0,
        canSend: true,
        canManage: true,
        canThread: true
      }
    ])
    const names = (of: State) => of.commands.map((one) => one.name)
    assert.deepEqual(
      [names(state), names(sam.state())],
      [
        ["ask", "form", "admin"],
        ["ask", "form"]
      ]
    )
    assert.deepEqual(
      state.users.map((one) => one.username),
      ["You", "Sam", "Bot"]
    )

    const form = new FormData()
    form.set("content", "hello")
    form.append("files[]", new Blob(["a,b\n"], { type: "text/csv" }), "a.csv")
    const sent = await call("POST", `/messages?user=${emulator.user().id}&channel=${emulator.channelId}`, form)
    assert.equal(sent.status, 200)
    assert.equal(sent.body.attachments[0]?.filename, "a.csv")
    const seen = await sam.until((change) => change.type === "message_create")
    assert.equal((seen["message"] as { id: string }).id, sent.body.id)
    const query = `user=${emulator.user("Sam").id}&channel=${emulator.channelId}`
    assert.equal(
      (await call("PUT", `/reactions?${query}&message=${sent.body.id}&emoji=${encodeURIComponent("👍")}`)).status,
      204
    )
    const reacted = await sam.until((change) => change.type === "message_update")
    assert.equal((reacted["message"] as { reactions: ReadonlyArray<{ me: boolean }> }).reactions[0]?.me, true)
    const asYou = await you.until((change) => change.type === "message_update")
    assert.equal((asYou["message"] as { reactions: ReadonlyArray<{ me: boolean }> }).reactions[0]?.me, false)
    await call("POST", `/typing?${query}`)
    await you.until((change) => change.type === "typing" && change["userId"] === emulator.user("Sam").id)
    const reply = await call("POST", `/messages?${query}`, { content: "hi", reply_to: sent.body.id })
    assert.equal(reply.body.referenced_message.content, "hello")
    const own = `/messages/${reply.body.id}?${query}`
    assert.equal((await call("PATCH", own, { content: "hi!" })).body.content, "hi!")
    assert.equal((await call("DELETE", own)).status, 204)
    await you.until((change) => change.type === "message_delete" && change["messageId"] === reply.body.id)
    const history = await call("GET", `/messages?${query}&limit=1`)
    assert.deepEqual(
      history.body.messages.map((one) => one.content),
      ["hello"]
    )
    const thread = emulator.messages(emulator.channelId)[0]
    await (
      await on.client.channels
        .fetch(emulator.channelId)
        .then((one) => (one?.isTextBased() ? one.messages.fetch(thread?.id ?? "") : undefined))
    )?.startThread({ name: "Work" })
    const opened = await you.until((change) => change.type === "thread_create")
    const { archived, canSend, canThread, id, name, parentId } = opened["channel"] as Record<string, unknown>
    assert.deepEqual(
      { archived, canSend, canThread, id, name, parentId },
      { archived: false, canSend: true, canThread: false, id: thread?.id, name: "Work", parentId: emulator.channelId }
    )
  })

  it("tells of several messages deleted at once, and of people as they change", async () => {
    const { emulator } = on
    const sam = await watch(emulator.user("Sam").id)
    const channel = await on.client.channels.fetch(emulator.channelId)
    assert.ok(channel?.isSendable() && "bulkDelete" in channel)
    const sent = await Promise.all(["one", "two"].map((text) => channel.send(text)))
    await channel.bulkDelete(sent)
    for (const { id } of sent)
      await sam.until((change) => change.type === "message_delete" && change["messageId"] === id)
    const added = emulator.addUser("Ada")
    const people = await sam.until(
      ({ snapshot, type }) =>
        type === "refresh" && (snapshot as State).users.some(({ username }) => username === added.username)
    )
    assert.equal((people["snapshot"] as State).me, emulator.user("Sam").id)
  })

  it("runs commands, buttons and modals, and shows ephemeral answers to their person only", async () => {
    const { emulator } = on
    const user = emulator.user().id
    const channel = emulator.channelId
    const sam = await watch(emulator.user("Sam").id)
    const you = await watch(user)
    const form = new FormData()
    form.set("payload_json", JSON.stringify({ kind: "command", channel, path: "ask", options: {} }))
    form.append("files[file]", new Blob(["x"]), "data.csv")
    const asked = await call("POST", `/interactions?user=${user}`, form)
    assert.deepEqual([asked.body.type, asked.body.message.content], ["message", "Got data.csv"])
    const message = asked.body.message.id
    await you.until(
      (change) => change.type === "message_create" && (change["message"] as { id: string }).id === message
    )
    const pressed = await call("POST", `/interactions?user=${user}`, {
      kind: "component",
      channel,
      message,
      customId: "yes"
    })
    assert.deepEqual([pressed.body.type, pressed.body.message.content], ["update", "Yes!"])
    const again = await call("POST", `/interactions?user=${user}`, {
      kind: "component",
      channel,
      message,
      customId: "yes"
    })
    assert.deepEqual(
      [again.status, again.body],
      [400, { error: "The message has no button or select yes. It has: none" }]
    )
    const opened = await call("POST", `/interactions?user=${user}`, {
      kind: "command",
      channel,
      path: "form",
      options: {}
    })
    assert.equal(opened.body.modal.components[0]?.component.custom_id, "name")
    const submitted = await call("POST", `/interactions?user=${user}`, {
      kind: "modal",
      interaction: opened.body.id,
      values: { name: "Ada" }
    })
    assert.equal(submitted.body.message.content, "Hello Ada")
    await sam.until(
      (change) => change.type === "message_create" && (change["message"] as { content: string }).content === "Hello Ada"
    )
    assert.equal(JSON.stringify(sam.changes).includes(message), false)
    const seen = async (id: string) =>
      (await call("GET", `/messages?user=${id}&channel=${channel}`)).body.messages.some((one) => one.id === message)
    assert.deepEqual([await seen(user), await seen(emulator.user("Sam").id)], [true, false])
  })

  it("refuses other pages, other hosts and unknown people", async () => {
    const { emulator } = on
    const path = `/messages?channel=${emulator.channelId}`
    const before = emulator.messages(emulator.channelId).length
    const post = (headers: Record<string, string>) => call("POST", path, { content: "evil" }, headers)
    assert.equal((await post({ origin: "https://evil.example" })).status, 403)
    assert.equal((await post({ origin: "null" })).status, 403)
    assert.equal((await post({ "sec-fetch-site": "cross-site" })).status, 403)
    const bare = await fetch(`${origin()}/page/api${path}`, { method: "POST", body: "{}" })
    assert.equal(bare.status, 403)
    assert.equal((await call("GET", "/events", undefined, { origin: "https://evil.example" })).status, 403)
    assert.equal((await call("GET", "/events?user=100000000000000000")).status, 404)
    assert.equal(
      (
        await call("POST", `/messages?user=${emulator.applicationId}&channel=${emulator.channelId}`, {
          content: "as the bot"
        })
      ).status,
      404
    )
    assert.equal(emulator.messages(emulator.channelId).length, before)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(emulator.page)
      request({ hostname, port, path: "/page/api/messages", headers: { host: "evil.example" } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on("error", reject)
        .end()
    })
    assert.equal(status, 403)
    const page = await fetch(emulator.page)
    assert.match(page.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/)
    assert.equal((await fetch(`${origin()}/page/assets/..%2findex.html`)).status, 404)
  })
})
