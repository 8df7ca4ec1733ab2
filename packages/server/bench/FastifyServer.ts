import { fastify } from "fastify"
import { headers, read, token } from "./Profile.ts"

const app = fastify()
app.get("/openapi/v2/user/profile", (request, reply) => {
  const body = read(request.headers.authorization)
  if (body === undefined) return reply.code(401).send()
  return reply.headers(headers()).send(body)
})
const url = await app.listen({ port: 0, host: "127.0.0.1" })
process.send?.({ ready: { url, token } })
