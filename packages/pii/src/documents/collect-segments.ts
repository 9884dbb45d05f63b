import { checkArgument } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import type { Span } from '../span.ts'
import { type DocumentFormat, FORMAT_SHAPES } from './format-shapes.ts'
import { type Rewrite, rewrite } from './rewrite.ts'
import type { TextSegment } from './segment.ts'
import { flattenTexts } from './segment.ts'
import { type HistoryReference, type MediaPart, type ScanRefusal, TextWalk, type TokenList } from './walk.ts'

/** The texts of a request, with a way to rewrite them. */
export interface SegmentCollection {
  /** In order; none is empty. */
  readonly segments: readonly TextSegment[]
  /** Runs of two or more segments that are parts of one message, as indices of `segments`. */
  readonly messages: readonly Span[]
  /** Images, audio, video and files, for `block_unscanned_media` (§2.10). */
  readonly media: readonly MediaPart[]
  /** Token ids in the place of text: unscanned content. */
  readonly tokenLists: readonly TokenList[]
  /** References of the request to content elsewhere; not scanned. */
  readonly history: readonly HistoryReference[]
  /** Set when the body must be refused with 400, because its text is ambiguous for readers. */
  readonly refusal: ScanRefusal | undefined
  /**
   * Builds the edits of the body that give segments new texts. Strings inside one JSON text are edited together, by one
   * edit of the enclosing string of the body. Strings with halves of surrogate pairs are repaired with or without a new
   * text. Everything outside of these strings stays as it is. May be called more than once.
   *
   * @param texts the new text of each changed segment
   */
  toSplices(texts: ReadonlyMap<TextSegment, string>): Rewrite
}

/**
 * Finds every text of a request: all strings except names of models, roles, types, ids and media data, including
 * unknown fields and every duplicate of a key. In arguments and output of tools it also finds the strings, keys and
 * numbers of JSON inside strings. Takes linear time and does not recurse.
 *
 * @example
 * const { segments, toSplices } = collectSegments(parseJson(body), 'chat-completions')
 * const rewritten = toSplices(new Map(segments.map((segment) => [segment, mask(segment.text)])))
 * if (rewritten.kind === 'splices') send(applySplices(body, rewritten.splices))
 */
export function collectSegments(document: JsonDocument, format: DocumentFormat): SegmentCollection {
  checkArgument(document?.root !== undefined, 'collectSegments: document', 'a document of @svc/json', document)
  const isKnown = typeof format === 'string' && Object.hasOwn(FORMAT_SHAPES, format)
  checkArgument(isKnown, 'collectSegments: format', `one of ${Object.keys(FORMAT_SHAPES).join(', ')}`, format)
  const walk = new TextWalk({ document, outer: undefined })
  walk.run(document.root, FORMAT_SHAPES[format])
  const { media, tokenLists, history, refusal } = walk
  const { segments, messages } = flattenTexts(walk.texts)
  const toSplices = (texts: ReadonlyMap<TextSegment, string>) => rewrite(walk, texts)
  return { segments, messages, media, tokenLists, history, refusal, toSplices }
}
