declare module "discord-api-spec/zod"
