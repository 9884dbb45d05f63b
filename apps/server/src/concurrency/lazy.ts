/** A part whose code is loaded on first use. */
export interface Lazy<Part> {
  /** Loads the part with the first call. The call after a failed load tries again. */
  open(): Promise<Part>
  /** Returns the part; undefined before it is loaded. */
  opened(): Part | undefined
  /** Waits for a load under way. Returns undefined where nothing asked for the part, or its load failed. */
  settled(): Promise<Part | undefined>
}

/** Makes a part that `load` loads on first use: callers at the same time share one load. */
export function createLazy<Part>(load: () => Promise<Part>): Lazy<Part> {
  let opening: Promise<Part> | undefined
  let opened: Part | undefined

  async function start(): Promise<Part> {
    try {
      // A load that throws at once is forgotten only after `opening` is set.
      const part = await Promise.resolve().then(load)
      opened = part
      return part
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  return {
    open() {
      opening ??= start()
      return opening
    },
    opened: () => opened,
    settled: async () => opening?.catch(() => undefined),
  }
}
