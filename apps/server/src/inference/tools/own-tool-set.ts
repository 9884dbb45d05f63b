import type { ServerTool, ToolSet } from './server-tools.ts'

/** Makes a set of tools of this server itself: it has no prompts and no resources, and holds no session. */
export function createOwnToolSet(tools: readonly ServerTool[]): ToolSet {
  return {
    tools,
    failures: [],
    prompt: async () => undefined,
    resource: async () => undefined,
    close: () => undefined,
  }
}
