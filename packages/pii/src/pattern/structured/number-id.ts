import { formatSizes, listNumbers } from './candidate.ts'
import { type Context, contextIndex } from './context.ts'
import type { StructuredKind } from './kind.ts'

/** A number that a state assigns to a person, of digits only. */
export interface NumberId {
  readonly name: StructuredKind['name']
  readonly group: string
  /** Digits; several where the number has several forms. */
  readonly length: number | readonly number[]
  readonly isValid: (digits: string) => boolean
  /** The usual sizes of its groups, where no word announces it. @default a word must announce it, or any sizes */
  readonly sizes?: RegExp
  /** The first of those sizes. */
  readonly first?: number
  /** Words that must announce it, since its check by itself accepts too many other numbers. */
  readonly announcedBy?: Context
  /** Words that label it, where none must announce it. */
  readonly labelledBy?: Context
  /** Whether the announcing words must be directly beside it, as it has no check. @default false */
  readonly isUncheckable?: boolean
}

/** Creates the kind of a number. */
export function toNumberKind({
  name,
  group,
  length,
  isValid,
  sizes,
  announcedBy,
  labelledBy,
  isUncheckable,
  first,
}: NumberId): StructuredKind {
  const lengths = typeof length === 'number' ? [length] : length
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)]
  return {
    name,
    group,
    numbers: [1, most],
    digits: [least, most],
    announcedBy,
    labelledBy,
    findUnchecked: (candidate) =>
      listNumbers(candidate, least, most).find(({ digits }) => lengths.includes(digits.length)),
    find(candidate) {
      if (first !== undefined && candidate.end - candidate.start !== first && !candidate.isNamedAtAll) return undefined
      const number = listNumbers(candidate, least, most).find(
        ({ digits }) => lengths.includes(digits.length) && isValid(digits),
      )
      if (number === undefined) return undefined
      if (announcedBy !== undefined) {
        return isUncheckable !== true || candidate.isLabelBeside(contextIndex(announcedBy), number) ? number : undefined
      }
      if (labelledBy !== undefined && candidate.isNamed(labelledBy)) return number
      const isUsual = sizes === undefined || sizes.test(formatSizes(number.groups))
      return !isUsual || candidate.isPart || candidate.isBeforePart(number.end) ? undefined : number
    },
  }
}

/** A number whose group and whose announcing words are called like it. */
export type NumberRow = Omit<NumberId, 'group' | 'announcedBy' | 'labelledBy'> & {
  readonly name: Extract<StructuredKind['name'], Context>
  /** Whether a word must announce it. @default true */
  readonly needsLabel?: false
}

/** Creates the kind of a row of a table. */
export function toRowKind({ needsLabel, ...row }: NumberRow): StructuredKind {
  const group = row.name.toUpperCase()
  return toNumberKind({
    ...row,
    group,
    ...(needsLabel === false ? { labelledBy: row.name } : { announcedBy: row.name }),
  })
}
