import type { SliceOptions } from '../slices.ts'

/** Options that yield after every step and report each yield, and the number of yields. */
export function everyStep(onYield?: (count: number) => void): { options: SliceOptions; yields: () => number } {
  let count = 0
  const yieldControl = async (): Promise<void> => {
    count++
    onYield?.(count)
  }
  return { options: { sliceMs: 0, yieldControl }, yields: () => count }
}
