/** Search parameters of the lab. The text is never in the address. */
export interface PiiSearch {
  readonly source: 'model' | 'detectors'
  readonly model?: string
  readonly detectors?: readonly string[]
}

/** Reads the address; anything unknown becomes its default. */
export function readPiiSearch({ source, model, detectors }: Record<string, unknown>): PiiSearch {
  return {
    source: source === 'detectors' ? 'detectors' : 'model',
    ...(typeof model === 'string' && model !== '' ? { model } : {}),
    ...(Array.isArray(detectors) ? { detectors: detectors.filter((name) => typeof name === 'string') } : {}),
  }
}
