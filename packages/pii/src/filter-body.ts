import { checkArgument, isTypedArray } from '@svc/errors'
import { applySplices, type JsonDocument, parseJson } from '@svc/json'
import { collectSegments, type SegmentCollection } from './documents/collect-segments.ts'
import type { DocumentFormat } from './documents/format-shapes.ts'
import { listRewritten } from './documents/rewritten-texts.ts'
import type { TextSegment } from './documents/segment.ts'
import { PiiError } from './errors.ts'
import { type FilterOptions, type FilterOutcome, filterSegments } from './filter.ts'
import { createTokenMap, type TokenMap, type TokenMapOptions } from './reversible/token-map.ts'

/** Options of {@link filterBody}. */
export interface FilterBodyOptions extends Omit<FilterOptions, 'masks'> {
  readonly format: DocumentFormat
  /** Makes masks tokens that can be restored in the reply; `{}` for the usual form. @default fixed masks */
  readonly reversible?: Omit<TokenMapOptions, 'texts'> | undefined
  /** Refuses bodies with images, audio, video or files, which are not scanned. @default false */
  readonly blockUnscannedMedia?: boolean | undefined
}

/** Findings in a body. */
interface Findings {
  readonly outcome: FilterOutcome
  /** The filtered segments, in the order of `outcome.segments`: for the paths of events. */
  readonly segments: readonly TextSegment[]
}

/** The part of a body that may be forwarded. */
export type FilteredBody =
  | (Findings & {
      readonly blocked: false
      /** The body with its masks: the given bytes without any. */
      readonly body: Uint8Array
      /** Restores values in the reply; undefined unless the body holds tokens. */
      readonly tokens: TokenMap | undefined
    })
  /** Nothing may be forwarded: because of a detection, of media, or of two keys that would have become one. */
  | (Findings & { readonly blocked: true; readonly reason: 'detection' | 'media' | 'key-collision' })

/**
 * Filters the JSON body of a request: scans every text of it, and rewrites only changed strings.
 *
 * @throws SvcError `json_syntax` or `json_limit` for a body that is not JSON; `pii_unclear_body`, kind
 *   `invalid_request`, for a body with ambiguous text; `pii_ner_unavailable` when a detector fails. Nothing of the body
 *   may be forwarded then
 * @example
 * const filtered = await filterBody(bytes, { format: 'chat-completions', detectors })
 * if (filtered.blocked) throw piiBlocked()
 * forward(filtered.body)
 */
export async function filterBody(body: Uint8Array, options: FilterBodyOptions): Promise<FilteredBody> {
  checkArgument(isTypedArray(body, 'Uint8Array'), 'filterBody: body', 'a Uint8Array', body)
  const { format, reversible, blockUnscannedMedia = false, ...filterOptions } = options
  const collection = collect(parseJson(body), format)
  const { segments, media } = collection
  if (blockUnscannedMedia && media.length > 0) {
    return { blocked: true, reason: 'media', segments, outcome: { blocked: true, masked: false, segments: [] } }
  }
  const tokens = reversible && createTokenMap({ ...reversible, texts: segments.map(({ text }) => text) })
  const outcome = await filterSegments(collection, { ...filterOptions, masks: tokens })
  if (outcome.blocked) return { blocked: true, reason: 'detection', segments, outcome }

  const rewrite = collection.toSplices(listRewritten(segments, outcome))
  if (rewrite.kind === 'key-collision') return { blocked: true, reason: 'key-collision', segments, outcome }
  const usedTokens = tokens !== undefined && tokens.size > 0 ? tokens : undefined
  return { blocked: false, body: applySplices(body, rewrite.splices), tokens: usedTokens, segments, outcome }
}

function collect(document: JsonDocument, format: DocumentFormat): SegmentCollection {
  const collection = collectSegments(document, format)
  const { refusal } = collection
  if (refusal === undefined) return collection
  const why = refusal.kind === 'case-twin' ? 'differs from a known key by case only' : 'JSON in a string is too large'
  throw new PiiError('invalid_request', `${refusal.path}: ${why}`, {
    code: 'pii_unclear_body',
    details: { param: refusal.path },
  })
}
