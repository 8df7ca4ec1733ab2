export { AssistantError } from "./AssistantError.ts"
export * as LocalAssistant from "./LocalAssistant.ts"
export * as Terminal from "./Terminal.ts"
