import type { Alphabet } from './alphabet.ts'

/** Operations of a program's states. */
export const OP = {
  /** Leads nowhere. */
  fail: 0,
  /** Takes one character of a set (`argument`: index of its flags). */
  take: 1,
  /** Continues at two states. */
  split: 2,
  /** Continues when an assertion holds (`argument`: one of {@link ASSERT}). */
  assert: 3,
  /** The text so far is a match. */
  accept: 4,
  /** Begins a loop (`argument`: index of the loop). */
  enter: 5,
  /** The end of a round of a loop. */
  round: 6,
} as const

/** Assertions of a program. */
export const ASSERT = { start: 0, end: 1, boundary: 2, notBefore: 3 } as const

/** A repeat whose count is kept beside the state. */
export interface Loop {
  readonly min: number
  readonly max: number
  body: number
  exit: number
}

/** A pattern as states of an automaton. State 0 leads nowhere. */
export interface Program {
  readonly entry: number
  readonly op: Uint8Array
  readonly argument: Int32Array
  readonly next: Int32Array
  readonly other: Int32Array
  readonly alphabet: Alphabet
  /** Flags by class of every set of the program. */
  readonly sets: readonly Uint8Array[]
  readonly words: Uint8Array
  /** Flags by class of characters that must not follow a match; undefined when all may. */
  readonly notBefore: Uint8Array | undefined
  readonly loops: readonly Loop[]
  readonly usesEdges: boolean
  readonly usesWords: boolean
}

/** The surroundings of a position: whether a segment starts or ends here, the character before, the class after. */
export interface Surroundings {
  startsSegment: boolean
  endsSegment: boolean
  wordBefore: boolean
  /** Class of the next character; -1 at the end of the text. */
  nextClass: number
}

/** Whether an assertion of a program holds. */
export function holds(program: Program, assertion: number, around: Surroundings): boolean {
  if (assertion === ASSERT.start) return around.startsSegment
  if (assertion === ASSERT.end) return around.endsSegment
  const next = around.nextClass
  if (assertion === ASSERT.boundary) return around.wordBefore !== (next >= 0 && program.words[next] === 1)
  return next < 0 || program.notBefore?.[next] !== 1
}
