import type { PlainService } from "@heddle/plain-service"

/** Calls the Open API with an access token for all scopes. */
export const apiOf = (service: PlainService, token: string = service.grant().access_token) => ({
  get: (path: string) => fetch(`${service.url}/openapi/v2${path}`, { headers: { Authorization: `Bearer ${token}` } }),
  post: (path: string, body: unknown) =>
    fetch(`${service.url}/openapi/v2${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body)
    })
})

/** Creates a task, and gives it when it has a link and its first round is over. */
export const createTask = async (service: PlainService, prompt = "first"): Promise<any> => {
  const api = apiOf(service)
  const created = (await (await api.post("/tasks", { prompt })).json()) as { readonly task_id: string }
  return poll(service, created.task_id, ({ link, status }) => link !== undefined && status !== "working")
}

/** Queries a task until it is as wanted. */
export const poll = async (service: PlainService, id: string, wanted: (task: any) => boolean): Promise<any> => {
  const api = apiOf(service)
  for (let left = 200; left > 0; left--) {
    const task = await (await api.get(`/tasks/${id}`)).json()
    if (wanted(task)) return task
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error("the task never became as wanted")
}
