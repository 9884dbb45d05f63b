import { buildByteTable } from './byte-offsets.ts'

/** The filter's action on a finding. */
export type Action = 'mask' | 'block' | 'allow'

/** A finding as the server reports it. Offsets count bytes of UTF-8. */
export interface Entity {
  readonly entity_type: string
  readonly source: 'ner' | 'pattern'
  readonly start: number
  readonly end: number
  readonly score: number
  readonly action: Action
  /** Present where only a label and the form of the value speak for it. */
  readonly checked?: false | undefined
  readonly hash_prefix?: string | undefined
}

/** A finding at its place in the text; offsets are indexes of the string. */
export interface Finding {
  readonly id: string
  readonly type: string
  readonly source: 'ner' | 'pattern'
  readonly start: number
  readonly end: number
  readonly score: number
  readonly action: Action
  /** Whether only a label and the form of the value speak for it. */
  readonly isUnchecked: boolean
  readonly excerpt: string
  readonly hashPrefix: string | undefined
}

/** Findings that overlap count as one: the strongest action acts on all of their text. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly winner: Finding
  readonly losers: readonly Finding[]
}

/** A part of the text, with the span that it belongs to. */
export interface Piece {
  readonly start: number
  readonly text: string
  readonly span: Span | undefined
}

/** Other settings to try on findings that are here already. */
export interface Trial {
  /** Findings of models below it are left out, 0 to 1. */
  readonly minScore: number
  /** Other actions, by type. */
  readonly actions: Readonly<Record<string, Action>>
}

/** Settings as the server has them. */
export const NO_TRIAL: Trial = { minScore: 0, actions: {} }

export const ACTIONS: readonly Action[] = ['mask', 'block', 'allow']
const RANK: Readonly<Record<Action, number>> = { allow: 1, mask: 2, block: 3 }

/**
 * Puts findings at their places in the text, in its order. Leaves out a finding whose ends are not between characters.
 */
export function locateFindings(text: string, entities: readonly Entity[]): Finding[] {
  const table = buildByteTable(text)
  const located = entities.flatMap((entity, index): Finding[] => {
    const start = table.toIndex(entity.start)
    const end = table.toIndex(entity.end)
    if (start === undefined || end === undefined || end <= start) return []
    const { entity_type: type, source, score, action, hash_prefix: hashPrefix } = entity
    const place = { start, end, excerpt: text.slice(start, end) }
    return [
      { id: String(index), type, source, score, action, isUnchecked: entity.checked === false, hashPrefix, ...place },
    ]
  })
  return located.sort((left, right) => left.start - right.start || right.end - left.end)
}

/** Findings under other settings. The least score applies only to findings of models; those of patterns stay. */
export function tryOn(findings: readonly Finding[], { minScore, actions }: Trial): Finding[] {
  return findings
    .filter(({ source, score }) => source === 'pattern' || score >= minScore)
    .map((finding) => ({ ...finding, action: actions[finding.type] ?? finding.action }))
}

/** Joins findings that overlap. @param findings in the order of their starts */
export function joinOverlaps(findings: readonly Finding[]): Span[] {
  const spans: Span[] = []
  for (const finding of findings) {
    const last = spans.at(-1)
    if (last === undefined || finding.start >= last.end) {
      spans.push({ start: finding.start, end: finding.end, winner: finding, losers: [] })
      continue
    }
    const wins = isStronger(finding, last.winner)
    spans[spans.length - 1] = {
      start: last.start,
      end: Math.max(last.end, finding.end),
      winner: wins ? finding : last.winner,
      losers: [...last.losers, wins ? last.winner : finding],
    }
  }
  return spans
}

function isStronger(one: Finding, other: Finding): boolean {
  const byAction = RANK[one.action] - RANK[other.action]
  return byAction > 0 || (byAction === 0 && one.end - one.start > other.end - other.start)
}

/** Cuts a text at its spans. Joined again, the pieces give the text. */
export function cutAtSpans(text: string, spans: readonly Span[]): Piece[] {
  const pieces: Piece[] = []
  let position = 0
  for (const span of spans) {
    if (span.start > position) pieces.push({ start: position, text: text.slice(position, span.start), span: undefined })
    pieces.push({ start: span.start, text: text.slice(span.start, span.end), span })
    position = span.end
  }
  if (position < text.length) pieces.push({ start: position, text: text.slice(position), span: undefined })
  return pieces
}

/** The text that a model would see. */
export function maskSpans(text: string, spans: readonly Span[]): string {
  return cutAtSpans(text, spans)
    .map(({ text: part, span }) =>
      span?.winner.action === 'mask' ? `[REDACTED:${span.winner.source}:${span.winner.type}]` : part,
    )
    .join('')
}

/** The action on the whole request, with the number of spans of each action. */
export function judge(spans: readonly Span[]) {
  const counts: Record<Action, number> = { mask: 0, block: 0, allow: 0 }
  for (const { winner } of spans) counts[winner.action] += 1
  const verdict = counts.block > 0 ? 'blocked' : counts.mask > 0 ? 'masked' : counts.allow > 0 ? 'allowed' : 'clean'
  return { verdict, counts } as const
}

/** Types in the order of their first finding, with their number. */
export function countTypes(findings: readonly Finding[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { type } of findings) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}
