export * as AccessToken from "./AccessToken.ts"
export * as OpenApiError from "./OpenApiError.ts"
export * as Tasks from "./Tasks.ts"
