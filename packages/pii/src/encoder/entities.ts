import type { Label } from './labels.ts'

/** Methods of choosing one label for the tokens of a word. `simple`: each token keeps its own. */
export const AGGREGATIONS = ['simple', 'first', 'average', 'max'] as const
export type Aggregation = (typeof AGGREGATIONS)[number]

/** A token with the probability of each label. */
export interface ScoredToken {
  /** Half-open range of UTF-16 units. */
  readonly start: number
  readonly end: number
  /** Probabilities of the labels, in their order; the sum is 1. */
  readonly shares: Float32Array
}

/** A labelled part of a text. */
export interface Entity {
  readonly group: string
  /** Half-open range of UTF-16 units; no blanks at its ends. */
  readonly start: number
  readonly end: number
  /** Mean share of the labels of its tokens, 0 to 1. */
  readonly score: number
}

/** Options of building entities from tokens. */
export interface EntityOptions {
  readonly labels: readonly Label[]
  readonly aggregation: Aggregation
  readonly wholeWords: boolean
}

/** A token with its chosen label. */
interface LabelledToken {
  readonly start: number
  readonly end: number
  readonly label: Label
  readonly share: number
}

interface OpenEntity {
  readonly group: string
  readonly start: number
  end: number
  readonly shares: number[]
}

/** Letters of scripts that separate words, digits and marks. */
const WORD = /[\p{L}\p{N}\p{M}]/u
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Builds the entities of a text, in order. Takes the tokens of the whole text, in order, without special ones. */
export function mergeEntities(text: string, tokens: readonly ScoredToken[], options: EntityOptions): readonly Entity[] {
  const { labels, aggregation, wholeWords } = options
  const labelled =
    aggregation === 'simple' ? tokens.map((token) => labelAlone(token, labels)) : labelWords(text, tokens, options)
  const found = joinTokens(labelled).flatMap((entity) => trim(text, entity))
  return wholeWords ? uniteOverlaps(found.map((entity) => widen(text, entity))).map(toEntity) : found.map(toEntity)
}

/**
 * Joins labelled tokens. `begin` and `single` start an entity, `end` and `single` close one; `inside`, `end` and
 * `plain` continue an open entity of their group, or start one; `outside` closes.
 */
function joinTokens(tokens: readonly LabelledToken[]): OpenEntity[] {
  const entities: OpenEntity[] = []
  let open: OpenEntity | undefined
  for (const { start, end, label, share } of tokens) {
    const { position, group } = label
    if (position === 'outside') {
      open = undefined
      continue
    }
    const goesOn = position === 'inside' || position === 'end' || position === 'plain'
    if (open !== undefined && goesOn && open.group === group) {
      open.end = Math.max(open.end, end)
      open.shares.push(share)
    } else {
      open = { group, start, end, shares: [share] }
      entities.push(open)
    }
    if (position === 'end' || position === 'single') open = undefined
  }
  return entities
}

function labelAlone({ start, end, shares }: ScoredToken, labels: readonly Label[]): LabelledToken {
  return { start, end, ...best(shares, labels) }
}

/** Gives all tokens of a word one label; all tokens after the first continue the same entity. */
function labelWords(
  text: string,
  tokens: readonly ScoredToken[],
  { labels, aggregation }: EntityOptions,
): LabelledToken[] {
  return splitWords(text, tokens).flatMap((word) => {
    const chosen = best(sharesOfWord(word, aggregation), labels)
    const rest: Label = { ...chosen.label, position: chosen.label.position === 'outside' ? 'outside' : 'inside' }
    const isOpen = chosen.label.position === 'end' || chosen.label.position === 'single'
    return word.map(({ start, end }, index) => {
      const isLast = index === word.length - 1
      const label =
        index === 0
          ? isOpen && !isLast
            ? opening(chosen.label)
            : chosen.label
          : isOpen && isLast
            ? { ...rest, position: 'end' as const }
            : rest
      return { start, end, share: chosen.share, label }
    })
  })
}

function opening(label: Label): Label {
  return { ...label, position: label.position === 'single' ? 'begin' : 'inside' }
}

function sharesOfWord(word: readonly ScoredToken[], aggregation: Aggregation): Float32Array {
  const [first] = word
  if (first === undefined || aggregation === 'first') return first?.shares ?? new Float32Array()
  if (aggregation === 'average') {
    return first.shares.map((_, label) => word.reduce((sum, { shares }) => sum + (shares[label] ?? 0), 0) / word.length)
  }
  return word.reduce((surest, token) => (Math.max(...token.shares) > Math.max(...surest.shares) ? token : surest))
    .shares
}

function splitWords(text: string, tokens: readonly ScoredToken[]): ScoredToken[][] {
  const words: ScoredToken[][] = []
  for (const token of tokens) {
    const word = words.at(-1)
    const last = word?.at(-1)
    if (word !== undefined && last !== undefined && last.end === token.start && isInsideWord(text, token.start)) {
      word.push(token)
    } else words.push([token])
  }
  return words
}

function best(shares: Float32Array, labels: readonly Label[]): { readonly label: Label; readonly share: number } {
  let index = 0
  for (let other = 1; other < shares.length; other++) {
    if ((shares[other] ?? 0) > (shares[index] ?? 0)) index = other
  }
  return { label: labels[index] ?? { position: 'outside', group: '' }, share: shares[index] ?? 0 }
}

/** Trims whitespace and drops entities that are only whitespace. No end lies inside a character. */
function trim(text: string, found: OpenEntity): OpenEntity[] {
  const entity = {
    ...found,
    start: found.start - (isInsidePair(text, found.start) ? 1 : 0),
    end: found.end + (isInsidePair(text, found.end) ? 1 : 0),
  }
  const part = text.slice(entity.start, entity.end)
  const start = entity.start + part.length - part.trimStart().length
  const end = entity.start + part.trimEnd().length
  return start < end ? [{ ...entity, start, end }] : []
}

function isInsidePair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff
}

/** Moves the ends to word borders. */
function widen(text: string, entity: OpenEntity): OpenEntity {
  let { start, end } = entity
  while (isInsideWord(text, start)) start -= unitsBefore(text, start)
  while (isInsideWord(text, end)) end += unitsAt(text, end)
  return { ...entity, start, end }
}

/** Whether a position lies inside a word. Never true in scripts without spaces. */
function isInsideWord(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false
  const before = text.slice(at - unitsBefore(text, at), at)
  const behind = text.slice(at, at + unitsAt(text, at))
  if (/\p{M}/u.test(behind)) return WORD.test(before)
  return isSpacedWord(before) && isSpacedWord(behind)
}

function isSpacedWord(character: string): boolean {
  return WORD.test(character) && !WITHOUT_SPACES.test(character)
}

function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

function unitsBefore(text: string, at: number): number {
  return at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff ? 2 : 1
}

/** Unites entities of one group that overlap. */
function uniteOverlaps(entities: readonly OpenEntity[]): OpenEntity[] {
  const united: OpenEntity[] = []
  for (const entity of entities) {
    const last = united.at(-1)
    if (last !== undefined && last.group === entity.group && entity.start < last.end) {
      united[united.length - 1] = {
        ...last,
        end: Math.max(last.end, entity.end),
        shares: [...last.shares, ...entity.shares],
      }
    } else united.push(entity)
  }
  return united
}

function toEntity({ group, start, end, shares }: OpenEntity): Entity {
  return { group, start, end, score: shares.reduce((sum, share) => sum + share, 0) / shares.length }
}
