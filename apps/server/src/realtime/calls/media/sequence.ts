/** A sequence number further away begins a new stream, if the next packet follows it. */
const MAX_JUMP = 1000

/** Counts the turns of sequence numbers of 16 bits. */
export interface Sequence {
  /** The highest number so far, with its turns of 2^16. */
  readonly highest: number
  /**
   * Takes the number of a packet.
   *
   * @returns it with its turns, and whether a new stream begins with it; undefined for a number far away that nothing
   *   confirms yet
   */
  take(sequence: number): { readonly number: number; readonly isNew: boolean } | undefined
}

/** Creates a counter. */
export function createSequence(): Sequence {
  let highest: number | undefined
  /** The number that would confirm a new stream. */
  let suspected: number | undefined

  function begin(sequence: number): { readonly number: number; readonly isNew: boolean } {
    suspected = undefined
    highest = sequence
    return { number: sequence, isNew: true }
  }

  return {
    get highest() {
      return highest ?? 0
    },
    take(sequence) {
      if (highest === undefined || suspected === sequence) return begin(sequence)
      const difference = ((sequence - highest) << 16) >> 16
      if (Math.abs(difference) > MAX_JUMP) {
        suspected = (sequence + 1) & 0xff_ff
        return undefined
      }
      suspected = undefined
      const number = highest + difference
      highest = Math.max(highest, number)
      return { number, isNew: false }
    },
  }
}
