import type { PartialMessage, TokenClassifyEntity } from '@svc/backend-client/proto'

/** Patterns by group. The first rule wins where two match the same text. */
const RULES: ReadonlyArray<{ readonly group: string; readonly pattern: RegExp; readonly score: number }> = [
  { group: 'EMAIL', pattern: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, score: 0.99 },
  { group: 'URL', pattern: /https?:\/\/\S+/g, score: 0.97 },
  { group: 'PHONE', pattern: /\+\d[\d -]{6,}\d/g, score: 0.95 },
  { group: 'PERSON', pattern: /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+/gu, score: 0.9 },
  { group: 'LOCATION', pattern: /\b(?:Berlin|London|Madrid|Paris|Rome|Tokyo)\b/g, score: 0.6 },
]

/** Entities in a text, in order: half-open byte offsets into its UTF-8 form. */
export function classifyTokens(text: string, threshold: number): PartialMessage<TokenClassifyEntity>[] {
  const taken: Array<{ start: number; end: number }> = []
  const found = RULES.filter(({ score }) => score >= threshold).flatMap(({ group, pattern, score }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const span = { start: match.index, end: match.index + match[0].length }
      if (taken.some((other) => span.start < other.end && other.start < span.end)) return []
      taken.push(span)
      return [{ span, entityGroup: group, score, text: match[0] }]
    }),
  )
  return found
    .sort((a, b) => a.span.start - b.span.start)
    .map(({ span, ...entity }) => ({
      ...entity,
      start: Buffer.byteLength(text.slice(0, span.start)),
      end: Buffer.byteLength(text.slice(0, span.end)),
    }))
}
