export * as AcpError from "./AcpError.ts"
export * as Connection from "./Connection.ts"
export * as JsonRpc from "./JsonRpc.ts"
export * as Transport from "./Transport.ts"
