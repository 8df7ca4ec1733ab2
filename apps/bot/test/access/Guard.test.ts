import { assert, describe, it } from "@effect/vitest"
import { guard, type Guarded } from "@heddle/bot/access/Guard"
import type { Command, Component, MenuCommand, Suggest } from "@heddle/bot/commands/Command"
import * as Effect from "effect/Effect"

const nothing = () => Effect.succeedNone
const describeIt = () => ({ description: "x", options: [] })

describe("a handler without an action", () => {
  it("does not compile, whatever it handles", () => {
    const handlers: ReadonlyArray<object> = [
      // @ts-expect-error A slash command.
      { path: "x", describe: describeIt, answers: "privately", handle: nothing } satisfies Command<never>,
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

const nobody = { userId: "", guildId: undefined, roleIds: undefined, managesServer: false }
