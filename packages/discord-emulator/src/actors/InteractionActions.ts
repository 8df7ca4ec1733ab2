import { InteractionKind, Permission } from "../model/Constants.ts"
import { apiErrors } from "../model/DiscordError.ts"
import type { NewInteraction } from "../resources/interactions/InteractionTypes.ts"
import { can } from "../state/Permissions.ts"
import type { Actor } from "./Actor.ts"
import { ActorError, withActorErrors } from "./ActorError.ts"
import { type ActorScope, visibleChannel, visibleMessage } from "./ActorScope.ts"
import { readCommandInput, readMessageCommand, readUserCommand } from "./CommandInput.ts"
import { readComponentInput } from "./ComponentInput.ts"
import { InteractionFailed, type InteractionResult, resultOf } from "./InteractionResult.ts"
import { type ModalValues, readModalInput } from "./ModalInput.ts"

/** What a person does with the commands, components and modals of the bot. */
type InteractionActions = Pick<
  Actor,
  "command" | "messageCommand" | "userCommand" | "press" | "select" | "submit" | "autocomplete"
>

export const interactionActions = (scope: ActorScope): InteractionActions => {
  const { context, id } = scope
  const commandType = InteractionKind.command
  return {
    command: async (channelId, path, options = {}) => {
      const { data, name } = withActorErrors(() => {
        requireCommandsAllowed(scope, channelId)
        return readCommandInput(context, id, { path, options })
      })
      return interact(scope, { channelId, type: commandType, data, commandName: name })
    },
    messageCommand: async (channelId, messageId, name) => {
      const data = withActorErrors(() =>
        readMessageCommand(context, id, visibleMessage(scope, channelId, messageId), name)
      )
      return interact(scope, { channelId, type: commandType, data, commandName: name, target: { messageId } })
    },
    userCommand: async (channelId, userId, name) => {
      const data = withActorErrors(() => {
        requireCommandsAllowed(scope, channelId)
        return readUserCommand(context, id, userId, name)
      })
      return interact(scope, { channelId, type: commandType, data, commandName: name, target: { userId } })
    },
    press: (channelId, messageId, customId) => useComponent(scope, channelId, messageId, customId),
    select: (channelId, messageId, customId, values) => useComponent(scope, channelId, messageId, customId, values),
    submit: async (interaction, values, files) =>
      interact(
        scope,
        withActorErrors(() => modalInteraction(scope, interaction.id, values, files))
      ),
    autocomplete: async (channelId, path, options, focused) => {
      const { data, name } = withActorErrors(() => {
        visibleChannel(scope, channelId)
        return readCommandInput(context, id, { path, options, focused })
      })
      const type = InteractionKind.autocomplete
      const response = await context.interactions.create({ userId: id, channelId, type, data, commandName: name })
      if (response.type !== "choices") throw new InteractionFailed(resultOf(context, id, response))
      return [...(response.choices ?? [])]
    }
  }
}

/** Commands need a permission, and an open thread. */
const requireCommandsAllowed = (scope: ActorScope, channelId: string): void => {
  const channel = visibleChannel(scope, channelId)
  if (!can(scope.context.store, scope.id, Permission.useCommands, channel)) throw apiErrors.missingPermissions()
  if (channel.thread?.archived === true) throw apiErrors.threadArchived()
}

/** Creates an interaction and waits for its first response; rejects with `InteractionFailed` without one. */
const interact = async (
  { context, id }: ActorScope,
  input: Omit<NewInteraction, "userId">
): Promise<InteractionResult> => {
  const result = resultOf(context, id, await context.interactions.create({ ...input, userId: id }))
  if (result.type === "failed") throw new InteractionFailed(result)
  return result
}

const useComponent = async (
  scope: ActorScope,
  channelId: string,
  messageId: string,
  customId: string,
  values?: ReadonlyArray<string>
): Promise<InteractionResult> => {
  const input = withActorErrors(() => {
    const source = visibleMessage(scope, channelId, messageId)
    const data = readComponentInput(scope.context, source, customId, values)
    return { channelId, type: InteractionKind.component, data, source }
  })
  return interact(scope, input)
}

const modalInteraction = (
  { context, id }: ActorScope,
  interactionId: string,
  values: ModalValues,
  files: Parameters<typeof readModalInput>[3]
): Omit<NewInteraction, "userId"> => {
  const { store } = context
  const opener = store.interactions.get(interactionId)
  if (opener?.modal === undefined || opener.userId !== id) throw new ActorError("There is no open modal")
  const { channelId, sourceId } = opener
  const source = sourceId === undefined ? undefined : store.messages.get(channelId, sourceId)
  return {
    channelId,
    type: InteractionKind.modal,
    data: readModalInput(context, opener.modal, values, files),
    openedBy: opener,
    ...(source === undefined ? {} : { source })
  }
}
