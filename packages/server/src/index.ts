export * as Accounts from "./Accounts.ts"
export * as Applications from "./Applications.ts"
export * as Server from "./Server.ts"
export * as ServerStartError from "./ServerStartError.ts"
