export * as Bot from "./bot/Bot.ts"
export { BotStartError } from "./model/BotStartError.ts"
