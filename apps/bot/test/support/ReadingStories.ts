import { assert } from "@effect/vitest"
import type { Script } from "@heddle/plain-service"
import { controls } from "./Controls.ts"
import type { PlainStack } from "./PlainStack.ts"
import { buttonsOf, confirm, linkOf, press } from "./Stack.ts"

const patience = 15_000

/** "ask": asks and writes a file; "slow": says two halves, the second one after `finish` or a stop; else an echo. */
export const makeAgent = (): { readonly script: Script; readonly finish: () => void } => {
  let finish = () => {}
  return {
    finish: () => finish(),
    script: async ({ artifact, ask, say, signal, text }) => {
      if (text.startsWith("ask")) {
        say(`Chosen: ${await ask({ title: "Write notes.txt" })}.`)
        const uri = "agent:///artifacts/notes.txt"
        const notes = { type: "media", uri, name: "notes.txt", mimeType: "text/plain", contentType: "document" }
        artifact("created", notes, Buffer.from("the notes"))
      } else if (text.startsWith("slow")) {
        say("First ")
        say("half 🧵\n\n")
        await new Promise<void>((resolve) => {
          finish = resolve
          signal.addEventListener("abort", () => setTimeout(resolve, 50))
        })
        say("- second ")
        say("half")
      } else say(`Echo: ${text}`)
      return { stopReason: "end_turn" }
    }
  }
}

/** What a person does at Discord, and sees there. */
export const personAt = (stack: PlainStack) => {
  const { emulator, service, you } = stack
  const ask = async (path: string, options: Readonly<Record<string, string>> = {}, channel = emulator.channelId) =>
    (await you.command(channel, path, options)).settled()
  const shows = (thread: string, words: RegExp) => stack.shows(thread, words, patience)
  const disconnect = async () => assert.match((await ask("disconnect")).content, /^Disconnected\./)
  const person = {
    ask,
    shows,
    /** Says something in a thread and waits for the echo. */
    says: async (thread: string, text: string) => {
      await you.send(thread, text)
      return shows(thread, new RegExp(`Echo: ${text}[^]*done ·`))
    },
    creditOf: async () => (await ask("credit")).embeds[0]?.description ?? "",
    disconnect,
    reconnect: async () => {
      await disconnect()
      return stack.connect()
    },
    /** The message with the link by which the bot may do what a command needs. */
    invitedBy: async (command: string, options: Readonly<Record<string, string>> = {}) => {
      const refusal = await ask(command, options)
      return (await you.press(refusal.channel_id, refusal.id, buttonsOf(refusal)[0]!.custom_id)).settled()
    },
    allow: async (command: string, options: Readonly<Record<string, string>> = {}) =>
      confirm(emulator, await person.invitedBy(command, options), undefined, you),
    submit: async (command: string, fields: Readonly<Record<string, string>>) =>
      (await (await you.submit(await you.command(emulator.channelId, command), fields)).settled()).content,
    /** Waits for private words. */
    told: (words: RegExp) =>
      emulator.waitFor(() => you.ephemerals().find(({ content }) => words.test(content))?.content, {
        what: String(words),
        timeoutMs: patience
      }),
    /** A task asks, gets its answer, makes a file and answers the next message, each once. Returns its thread. */
    usualStory: async () => {
      const before = service.rounds.length
      const thread = await stack.start("ask")
      await controls(stack, thread).press(/^p1:\w+:0/)
      await shows(thread, /Chosen: allow\.[^]*done ·/)
      const file = () => emulator.messages(thread).find(({ attachments }) => attachments.length > 0)?.attachments[0]
      const { url } = await emulator.waitFor(file, { what: "the file", timeoutMs: patience })
      assert.strictEqual(await (await fetch(url)).text(), "the notes")
      const transcript = await person.says(thread, "more")
      for (const once of ["Chosen: allow", "Echo: more"]) assert.lengthOf(transcript.split(once), 2, transcript)
      assert.deepEqual(
        service.rounds.slice(before).map(({ text }) => text),
        ["ask", "more"]
      )
      assert.match((await ask("artifacts list", {}, thread)).embeds[0]?.description ?? "", /\*\*notes\.txt\*\*/)
      return thread
    },
    /** Opens the link of a message. */
    open: (message: Parameters<typeof linkOf>[0]) => fetch(linkOf(message)),
    press: (message: Parameters<typeof press>[1]) => press(you, message)
  }
  return person
}

/** A person at Discord. */
export type Person = ReturnType<typeof personAt>
