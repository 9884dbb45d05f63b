import { analyzeText } from '@svc/pii'
import { createDetector } from '@svc/pii/detectors'

const detectors = [
  createDetector({ name: 'structured', settings: { builtins: ['structured'] }, slices: { sliceMs: 60_000 } }),
]

/** A find of the filter, in UTF-16 code units. */
export interface Find {
  readonly group: string
  readonly start: number
  readonly end: number
}

/** Finds of the filter with all structured detectors in a text, overlaps united. */
export async function resolveText(text: string): Promise<readonly Find[]> {
  const { spans } = await analyzeText(text, { detectors })
  return spans
}
