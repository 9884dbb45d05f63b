import type { Span } from '../../span.ts'
import type { StructuredName } from '../structured-names.ts'
import type { Candidate } from './candidate.ts'
import type { Context } from './context.ts'

/** Lengths of a word, or numbers of digits: from the least to the greatest. */
export type Lengths = readonly [least: number, most: number]

/** A word with what is on both sides of it. */
export interface Surroundings {
  readonly length: number
  /** Whether it has digits only. */
  readonly isNumber: boolean
  readonly first: 'letter' | 'zero' | 'other digit'
  /** The code units before and behind it where they are among {@link MARKS}; 0 for others of ASCII and for none. */
  readonly before: number
  readonly after: number
}

/** The marks that kinds ask for on both sides of a word. */
export const MARKS = ' .,:-/+()_\t\n\r'

/** One kind of structured text: its candidates, and the check of one candidate. */
export interface StructuredKind {
  readonly name: StructuredName
  readonly group: string
  /** Lengths of a word of digits only that may begin it. */
  readonly numbers?: Lengths | undefined
  /** Lengths of a word of letters and digits that may begin it or lie in it. */
  readonly mixed?: Lengths | undefined
  /** Lengths of a word of capital letters that may begin it. */
  readonly capitals?: Lengths | undefined
  /** Whether it is found by its `@`. */
  readonly atSigns?: boolean | undefined
  /** Whether it is also found by the word `dot`. */
  readonly dots?: boolean | undefined
  /** Fixed texts that it is also found by, with the text that is found around one of them. */
  readonly words?:
    | { readonly anchors: readonly string[]; find(text: string, anchor: Span): Span | undefined }
    | undefined
  /** Digits that the first groups of a number have together. @default any */
  readonly digits?: Lengths | undefined
  /** Whether `find` may find anything at a word where no label is near. @default always */
  readonly fits?: ((place: Surroundings) => boolean) | undefined
  /** Words that must be shortly before it. @default none */
  readonly announcedBy?: Context | undefined
  /** Finds the text that the candidate is a part of. Reads a bounded range around it. */
  find(candidate: Candidate): Span | undefined
  /** Words that label it, beside the announcing words. */
  readonly labelledBy?: Context | undefined
  /**
   * Finds the text that the candidate is a part of by its form alone, where `find` found nothing. It counts only beside
   * a label, since its range, check or case speak against it.
   */
  findUnchecked?(candidate: Candidate): Span | undefined
  /** The same kind with the national forms of some regions. */
  forRegions?(regions: readonly string[]): StructuredKind
}
