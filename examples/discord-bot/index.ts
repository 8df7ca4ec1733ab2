// The bot as it runs on Discord: DISCORD_TOKEN=… node index.ts
import { startBot } from "./bot.ts"

await startBot(process.env["DISCORD_TOKEN"] ?? "")
