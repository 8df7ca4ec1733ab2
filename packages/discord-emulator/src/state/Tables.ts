import type { APIApplicationCommand } from "discord-api-types/v10"
import type {
  StoredGuild,
  StoredChannel,
  StoredInteraction,
  StoredMember,
  StoredRole,
  StoredUser,
  StoredWebhook
} from "../model/Records.ts"
import { Snowflakes } from "../model/Snowflake.ts"
import type { Clock } from "../settings/Clock.ts"
import { MessageTable } from "./MessageTable.ts"

/** All records of one guild by id. Only `applyChange` writes them. */
export class Tables {
  readonly ids: Snowflakes
  readonly clock: Clock
  readonly users = new Map<string, StoredUser>()
  /** By user id; users who left the guild have no entry. */
  readonly members = new Map<string, StoredMember>()
  readonly roles = new Map<string, StoredRole>()
  readonly webhooks = new Map<string, StoredWebhook>()
  readonly channels = new Map<string, StoredChannel>()
  readonly interactions = new Map<string, StoredInteraction>()
  readonly interactionIdsByToken = new Map<string, string>()
  readonly messages: MessageTable
  /** By guild id; `null` has the global commands. */
  readonly commandSets = new Map<string | null, ReadonlyArray<APIApplicationCommand>>()
  #guild: StoredGuild | undefined

  constructor(clock: Clock) {
    this.clock = clock
    this.ids = new Snowflakes(clock.now)
    this.messages = new MessageTable(clock)
  }

  get guild(): StoredGuild {
    if (this.#guild === undefined) throw new Error("the store has no guild yet")
    return this.#guild
  }

  /** Replaces the guild and application record and returns the earlier one. */
  setGuild(guild: StoredGuild): StoredGuild | undefined {
    const before = this.#guild
    this.#guild = guild
    return before
  }

  /** The current time as Discord writes it. */
  timestamp(): string {
    return new Date(this.clock.now()).toISOString()
  }

  commands(guildId: string | null): ReadonlyArray<APIApplicationCommand> {
    return this.commandSets.get(guildId) ?? []
  }

  interactionByToken(token: string): StoredInteraction | undefined {
    const id = this.interactionIdsByToken.get(token)
    return id === undefined ? undefined : this.interactions.get(id)
  }
}
