import { SvcError } from '@svc/errors'
import type { ReplyWarning } from '../../inference/core/events.ts'

/** Types of tools that this server runs in some formats. Leaving them out would lose the purpose of their request. */
const HOSTED: ReadonlySet<string> = new Set(['mcp', 'mcp_toolset', 'file_search'])
const NONE: ReadonlySet<string> = new Set()
/** Most types that a warning names. */
const MAX_NAMED = 8

/** The tools of a request that its caller runs. */
export interface OwnTools<Own> {
  readonly own: readonly Own[]
  /** Names the types that were left out; absent when there are none. */
  readonly warnings?: readonly ReplyWarning[] | undefined
}

/**
 * Leaves out the tools that a vendor runs, such as a search of the web: no model here can call them.
 *
 * @param runsHere types that this server runs for requests of the format, which are left out without a word. @default
 *   none
 * @throws SvcError `invalid_request` for types that this server runs in other formats only
 */
export function keepOwnTools<Tool extends { readonly type?: string | null | undefined }, Own extends Tool>(
  tools: readonly Tool[],
  isOwn: (tool: Tool) => tool is Own,
  runsHere = NONE,
): OwnTools<Own> {
  const own: Own[] = []
  const types = new Set<string>()
  for (const [index, tool] of tools.entries()) {
    if (isOwn(tool)) {
      own.push(tool)
      continue
    }
    const type = tool.type ?? ''
    if (runsHere.has(type)) continue
    if (HOSTED.has(type)) throw runsElsewhere(`tools[${index}].type`, type)
    types.add(type)
  }
  if (types.size === 0) return { own }
  const named = [...types].slice(0, MAX_NAMED).join(', ')
  const message = `tools that this server does not run are left out: ${named}${types.size > MAX_NAMED ? ', ...' : ''}`
  return { own, warnings: [{ code: 'tools_left_out', message }] }
}

function runsElsewhere(param: string, type: string): SvcError {
  const where = type === 'mcp_toolset' ? '/v1/messages' : '/v1/responses'
  return new SvcError('invalid_request', `${param}: tools of the type ${type} run in ${where} only`, {
    code: 'unsupported_tool',
    details: { param },
  })
}
