import * as UndiciExchange from "@heddle/acp/node/UndiciExchange"

/** How the bot presents itself to agents, and how it reaches their channels. */
export const client = {
  clientInfo: { name: "heddle-bot", title: "Heddle", version: "0.0.0" },
  exchange: UndiciExchange.make()
} as const
