import type { ToolHints } from '../inference/tools/server-tools.ts'
import { MAX_DESCRIPTION, MAX_SCHEMA_BYTES, MAX_TOOL_NAME } from './limits.ts'
import type { Listed } from './session-lists.ts'

/** A tool as its server lists it, within the limits. */
export interface ListedTool {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly hints: ToolHints
}

/** Reads a list of tools. Entries that are not usable are left out and named in `refused`. */
export function readTools(listed: Listed): {
  readonly tools: readonly ListedTool[]
  readonly refused: readonly string[]
} {
  const tools = new Map<string, ListedTool>()
  const refused: string[] = []
  for (const entry of listed) {
    const tool = readTool(entry)
    if (tool === undefined) refused.push(toShown(entry.name))
    else if (!tools.has(tool.name)) tools.set(tool.name, tool)
  }
  return { tools: [...tools.values()], refused }
}

/** A name for the log, which may be any value. */
function toShown(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, MAX_TOOL_NAME) : '(not a name)'
}

function readTool(entry: Listed[number]): ListedTool | undefined {
  const { name, description, inputSchema = {}, annotations } = entry
  if (typeof name !== 'string' || name === '' || name.length > MAX_TOOL_NAME) return undefined
  if (!isMap(inputSchema) || (inputSchema.type !== undefined && inputSchema.type !== 'object')) return undefined
  if (Buffer.byteLength(JSON.stringify(inputSchema)) > MAX_SCHEMA_BYTES) return undefined
  return {
    name,
    ...(typeof description === 'string' ? { description: description.slice(0, MAX_DESCRIPTION) } : {}),
    inputSchema: { type: 'object', properties: {}, ...inputSchema },
    hints: readHints(annotations),
  }
}

function readHints(annotations: unknown): ToolHints {
  const { readOnlyHint, idempotentHint, destructiveHint } = isMap(annotations) ? annotations : {}
  return {
    ...(typeof readOnlyHint === 'boolean' ? { readOnly: readOnlyHint } : {}),
    ...(typeof idempotentHint === 'boolean' ? { idempotent: idempotentHint } : {}),
    ...(typeof destructiveHint === 'boolean' ? { destructive: destructiveHint } : {}),
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
