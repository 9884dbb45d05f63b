import { applySplices, encodeJsonString, type JsonDocument, type JsonNode, type Splice } from '@svc/json'

/** The body for the upstream. */
export interface PassthroughBody {
  readonly bytes: Uint8Array
  /** Whether the client asked for a stream. */
  readonly isStream: boolean
}

/**
 * Builds the body for an upstream: the client's bytes with the given edits. Where the upstream has a name of its own
 * for the model, that name replaces the value of every top-level `model`. Nothing else changes; duplicates and spacing
 * stay.
 *
 * @example
 * const { bytes, isStream } = passthroughBody(parseJson(body), { upstreamModel: 'demo-large', splices: [] })
 */
export function createPassthroughBody(
  document: JsonDocument,
  options: { readonly upstreamModel?: string | undefined; readonly splices?: readonly Splice[] | undefined },
): PassthroughBody {
  const { upstreamModel, splices = [] } = options
  const { root } = document
  const isStream = isTrue(root.get('stream'))
  if (upstreamModel === undefined) return { bytes: applySplices(document.bytes, splices), isStream }
  const replacement = toToken(upstreamModel)
  const models = root.getAll('model')
  const edits = splices.filter(({ start, end }) => !models.some((model) => start < model.end && end > model.start))
  for (const { start, end } of models) edits.push({ start, end, replacement })
  return { bytes: applySplices(document.bytes, edits), isStream }
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
