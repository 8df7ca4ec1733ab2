import type { Messages } from "../Messages.ts"

/** The slash commands and their options, as Discord lists them; at most 100 characters each. */
export const commands: Messages["commands"] = {
  task: "云端任务",
  taskNew: "新建云端任务；会开启一个子区，你可以在里面和智能体对话",
  taskNewPrompt: "要做什么？",
  taskNewFile: "要处理的文件，最大 25 MB",
  taskNewName: "任务名称",
  taskList: "查看你最近的任务",
  taskStatus: "查看这个子区里任务的状态",
  taskStop: "停止这个子区里正在进行的回答",
  connect: "连接你的账号，你的任务会在这个账号上运行",
  disconnect: "解除机器人对你账号的访问",
  credit: "查看你的积分",
  help: "这个机器人能做什么、怎么用",
  startWithMessage: "用这条消息新建任务"
}
