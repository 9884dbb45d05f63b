import { SvcError } from '@svc/errors'
import type { ReplyWarning } from '../../inference/core/events.ts'

/** Types of tools that a later version runs. Leaving them out would lose the purpose of their request. */
const UNBUILT: ReadonlySet<string> = new Set(['mcp', 'mcp_toolset', 'file_search'])
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
 * @throws SvcError `invalid_request` for types that are refused until they are built
 */
export function keepOwnTools<Tool extends { readonly type?: string | null | undefined }, Own extends Tool>(
  tools: readonly Tool[],
  isOwn: (tool: Tool) => tool is Own,
): OwnTools<Own> {
  const own: Own[] = []
  const types = new Set<string>()
  for (const [index, tool] of tools.entries()) {
    if (isOwn(tool)) {
      own.push(tool)
      continue
    }
    const type = tool.type ?? ''
    if (UNBUILT.has(type)) throw notInThisVersion(`tools[${index}].type`, `tools of the type ${type}`)
    types.add(type)
  }
  if (types.size === 0) return { own }
  const named = [...types].slice(0, MAX_NAMED).join(', ')
  const message = `tools that this server does not run are left out: ${named}${types.size > MAX_NAMED ? ', ...' : ''}`
  return { own, warnings: [{ code: 'tools_left_out', message }] }
}

/** Creates the refusal of a feature that this version does not have. */
export function notInThisVersion(param: string, name: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${name} are not in this version`, {
    code: 'not_in_this_version',
    details: { param },
  })
}
