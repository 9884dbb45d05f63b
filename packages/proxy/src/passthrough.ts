import { applySplices, encodeJsonString, type JsonDocument, type JsonNode, type Splice } from '@svc/json'

/** The body for the upstream. */
export interface PassthroughBody {
  readonly bytes: Uint8Array
  /** Whether the client asked for a stream. */
  readonly isStream: boolean
  /** Whether the body asks for figures that its client did not ask for. */
  readonly addsUsage: boolean
}

/**
 * Builds the body for an upstream: the client's bytes with the given edits. Where the upstream has a name of its own
 * for the model, that name replaces the value of every top-level `model`. Nothing else changes; duplicates and spacing
 * stay.
 *
 * @param options.asksUsage makes a stream of the compatible format ask for its figures. @default false
 *
 * @example
 * const { bytes, isStream } = passthroughBody(parseJson(body), { upstreamModel: 'demo-large', splices: [] })
 */
export function createPassthroughBody(
  document: JsonDocument,
  options: {
    readonly upstreamModel?: string | undefined
    readonly splices?: readonly Splice[] | undefined
    readonly asksUsage?: boolean | undefined
  },
): PassthroughBody {
  const { upstreamModel, splices = [], asksUsage = false } = options
  const { root } = document
  const isStream = isTrue(root.get('stream'))
  const asking = asksUsage && isStream ? askForUsage(root) : []
  const own = upstreamModel === undefined ? asking : [...nameModel(root, upstreamModel), ...asking]
  const isFree = ({ start, end }: Splice): boolean => !own.some((edit) => start < edit.end && end > edit.start)
  const edits = own.length === 0 ? splices : [...splices.filter(isFree), ...own]
  return { bytes: applySplices(document.bytes, edits), isStream, addsUsage: asking.length > 0 }
}

function nameModel(root: JsonNode, name: string): Splice[] {
  const replacement = toToken(name)
  return root.getAll('model').map(({ start, end }) => ({ start, end, replacement }))
}

const ASKING = '"include_usage":true'

/** Edits that make a streamed request ask for its figures; none for a request that asks already. */
function askForUsage(root: JsonNode): Splice[] {
  const options = root.getAll('stream_options')
  if (isTrue(options.at(-1)?.get('include_usage'))) return []
  if (options.length === 0) return [insertMember(root, `"stream_options":{${ASKING}}`)]
  return options.flatMap((node) => {
    if (node.kind !== 'object') return [replaceNode(node, `{${ASKING}}`)]
    const flags = node.getAll('include_usage')
    return flags.length === 0 ? [insertMember(node, ASKING)] : flags.map((flag) => replaceNode(flag, 'true'))
  })
}

function insertMember({ start, length }: JsonNode, member: string): Splice {
  const replacement = new TextEncoder().encode(length > 0 ? `${member},` : member)
  return { start: start + 1, end: start + 1, replacement }
}

function replaceNode({ start, end }: JsonNode, text: string): Splice {
  return { start, end, replacement: new TextEncoder().encode(text) }
}

/** The names of upstreams as JSON, by name. */
const tokens = new Map<string, Uint8Array>()
const MAX_TOKENS = 256

function toToken(name: string): Uint8Array {
  const known = tokens.get(name)
  if (known !== undefined) return known
  if (tokens.size >= MAX_TOKENS) tokens.clear()
  const token = encodeJsonString(name)
  tokens.set(name, token)
  return token
}

const LOWER_T = 0x74

function isTrue(node: JsonNode | undefined): boolean {
  return node?.document.bytes[node.start] === LOWER_T
}
