import { randomBytes, randomUUID } from 'node:crypto'

/** Creates an id of a response that cannot be guessed. */
export function newResponseId(): string {
  return `resp_${randomUUID().replaceAll('-', '')}`
}

const PREFIXES = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  mcp_list_tools: 'mcpl',
  mcp_call: 'mcp',
  mcp_approval_request: 'mcpr',
  mcp_approval_response: 'mcpa',
  file_search_call: 'fs',
} as const

/** Creates an id of an item by its kind. */
export function newItemId(kind: keyof typeof PREFIXES): string {
  return `${PREFIXES[kind]}_${randomBytes(16).toString('hex')}`
}
