/**
 * How many rounds the loops around a state have made, innermost first, each distinct stack of counts under one number. 0
 * is outside of every loop.
 */
export declare class Frames {
  private parents
  private counts
  private free
  private byKey
  get size(): number
  /** The stack `parent` with one more loop on top; `isFree`: one that may be left after any round, so that fewer are better. */
  of(parent: number, count: number, isFree: boolean): number
  /** The stack without its innermost loop. */
  parent(frame: number): number
  /** Rounds of the innermost loop. */
  count(frame: number): number
  /** Whether whatever can follow with one stack can also follow with the other. Both belong to the same state. */
  covers(other: number, frame: number): boolean
  /** Keeps nothing but the frames that `copy` is asked for; the caller replaces its own by what it answers. */
  compact(renumber: (copy: (frame: number) => number) => void): void
}
