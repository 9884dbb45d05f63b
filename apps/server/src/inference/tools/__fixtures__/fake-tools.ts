import type { ServerTool, ToolResult, ToolServers, ToolSet } from '../server-tools.ts'

/** What a fake tool does with a call. */
export type FakeTool = Partial<Omit<ServerTool, 'call'>> & {
  readonly run: (args: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<ToolResult> | ToolResult
}

/** Gives a text as the answer of a tool. */
export function toTextResult(text: string, isError = false): ToolResult {
  return { content: [{ type: 'text', text }], isError }
}

/** Servers of tools without any server, and the number of their open sets. */
export interface FakeToolServers extends ToolServers {
  /** Sets that are open. */
  readonly openSets: number
  /** Number of sets that were opened. */
  readonly opened: number
}

/** Creates servers that have some tools by their names for the model. */
export function createFakeToolServers(
  tools: Readonly<Record<string, FakeTool>>,
  extra: Partial<Pick<ToolSet, 'failures' | 'prompt' | 'resource'>> = {},
): FakeToolServers {
  let openSets = 0
  let opened = 0
  const open = (server: string): ToolSet => {
    openSets += 1
    opened += 1
    return {
      tools: Object.entries(tools).map(([name, { run, ...own }]) => ({
        name,
        tool: name,
        server,
        inputSchema: { type: 'object', properties: {} },
        hints: {},
        approval: 'auto',
        ...own,
        call: async (args, { signal }) => run(args, signal),
      })),
      failures: [],
      prompt: async () => undefined,
      resource: async () => undefined,
      close() {
        openSets -= 1
      },
      ...extra,
    }
  }
  return {
    get openSets() {
      return openSets
    },
    get opened() {
      return opened
    },
    hasServers: ({ mcp }) => mcp.remote !== undefined || mcp.stdio !== undefined,
    openModel: async () => open('own'),
    openNamed: async ({ label }) => open(label),
  }
}
