import { assert, describe, it } from "@effect/vitest"
import { byTag, guard, type Guarded, around } from "@heddle/bot/access/Guard"
import type { CommandHandler, Component, MenuCommand, Suggest } from "@heddle/bot/commands/Command"
import type { UserEvent, SlashCommand } from "@heddle/bot/discord/DiscordEvent"
import { english } from "@heddle/bot/messages/Translations"
import * as Effect from "effect/Effect"

const nothing = () => Effect.succeedNone
const describeIt = () => ({ description: "x", options: [] })

describe("a handler without an action", () => {
  it("does not compile for any event", () => {
    const handlers: ReadonlyArray<object> = [
      // @ts-expect-error A slash command.
      { path: "x", describe: describeIt, answers: "privately", handle: nothing } satisfies CommandHandler<never>,
      // @ts-expect-error What is suggested for its options.
      { handle: () => Effect.succeed([]) } satisfies Suggest<never>,
      // @ts-expect-error A button, a list or a form.
      { id: /x/, answers: "inPlace", handle: nothing } satisfies Component<never>,
      // @ts-expect-error A command in the menu of a message.
      { name: () => "x", answers: "privately", handle: nothing } satisfies MenuCommand<never>
    ]
    // @ts-expect-error A message, its edit or its deletion: only a guard makes a handler.
    const bare: Guarded<object, void, never, never> = () => Effect.void
    // @ts-expect-error A guard that asks nothing.
    const guarded = () => guard({ person: () => nobody, allowed: () => Effect.void, refused: () => Effect.void })
    assert.strictEqual(handlers.length, 4)
    assert.isFunction(bare)
    assert.isFunction(guarded)
  })
})

describe("a new kind of event that a person causes", () => {
  it("does not compile without a guarded handler", () => {
    interface Reacted {
      readonly _tag: "Reacted"
      readonly channelId: string
    }
    const asks = guard<UserEvent | Reacted, void, never, never, never, never, never>({
      person: () => nobody,
      action: () => Effect.succeed({ _tag: "NothingHere" }),
      allowed: () => Effect.void,
      refused: () => Effect.void
    })
    const table = {
      Autocomplete: asks,
      SlashCommand: asks,
      Message: asks,
      MessageEdited: asks,
      MessageCommand: asks,
      MessagesDeleted: asks,
      UnknownInteraction: asks,
      ComponentOrModalSubmit: asks
    }
    assert.isFunction(byTag<UserEvent>()(table))
    // @ts-expect-error There is none.
    assert.isFunction(byTag<UserEvent | Reacted>()(table))
    const bare = ({ channelId }: Reacted) => Effect.log(channelId)
    // @ts-expect-error It goes on without asking.
    assert.isFunction(byTag<UserEvent | Reacted>()({ ...table, Reacted: bare }))
    assert.isFunction(byTag<UserEvent | Reacted>()({ ...table, Reacted: asks }))
    const inTime = around(asks, (_, handled) => Effect.fork(handled))
    assert.isFunction(byTag<UserEvent | Reacted>()({ ...table, Reacted: inTime }))
    // @ts-expect-error It is only done in its time.
    assert.isFunction(around(bare, (_, handled) => Effect.fork(handled)))
  })

  it("cannot reach a command that requires a permitted event", () => {
    const around = (command: CommandHandler<never>, event: SlashCommand) =>
      // @ts-expect-error It was not checked.
      command.handle(event, english, Effect.void)
    assert.isFunction(around)
  })
})

const nobody = { userId: "", guildId: undefined, roleIds: undefined, managesServer: false }
