export * as Bot from "./Bot.ts"
export { BotStartError } from "./BotStartError.ts"
