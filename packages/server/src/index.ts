export * as Accounts from "./accounts/Accounts.ts"
export * as Applications from "./oauth/Applications.ts"
export * as Server from "./Server.ts"
export * as ServerStartError from "./config/ServerStartError.ts"
