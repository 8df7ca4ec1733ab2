import type { Messages } from "../Messages.ts"

export const fileOffers: Messages["fileOffers"] = {
  title: "📂 这次回答的文件",
  about: "智能体在它的文件夹里新建或修改了这些文件。有人需要时才会发到这里。",
  alwaysPosted: "这个任务之后每次回答的文件都会发出来，每次最多 25 个。",
  change: { created: "新建", changed: "已修改" },
  result: {
    posted: "已按当时的内容发出",
    gone: "已经不在了",
    "too large": "太大，无法发出",
    failed: "未能发出"
  },
  more: (files) => `还有 ${files} 个没有列出。需要的文件可以让智能体放进 \`artifacts/\`，会从那里发出。`,
  partial: "任务的文件夹或文件太多，没有全部查看。缺少的文件，可以让智能体放进 `artifacts/`，会从那里发出。",
  choose: "获取文件……",
  getAll: "全部获取",
  always: "总是发出",
  alwaysSet: (userId, always) =>
    always ? `-# <@${userId}> 让之后每次回答的文件都发到这里。` : `-# <@${userId}> 停止了自动发出每次回答的文件。`,
  never: "不再全部发出",
  unreachable: {
    happened: "无法连接到这个任务。",
    changed: "文件没有变化，也没有扣费。",
    next: "请一分钟后再试。"
  }
}
