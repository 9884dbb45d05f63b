/** A text made from another one; each UTF-16 unit has its source range. */
export interface TrackedText {
  readonly text: string
  /** Start of each unit's source range, in UTF-16 units; never descending. */
  readonly starts: readonly number[]
  /** End of each unit's source range; equal to the start for inserted text. */
  readonly ends: readonly number[]
}

/** Builds a tracked text from front to back. */
export interface TrackedTextBuilder {
  /** Adds text whose units all come from `[start, end)` of the source. */
  add(text: string, start: number, end: number): void
  /** Adds a part of a tracked text. */
  copy(from: TrackedText, start: number, end: number): void
  build(): TrackedText
}

/** A part of a source, unchanged. */
export function trackText(source: string, start = 0, end: number = source.length): TrackedText {
  const starts = Array.from({ length: end - start }, (_, index) => start + index)
  return { text: source.slice(start, end), starts, ends: starts.map((at) => at + 1) }
}

/** A part of a tracked text, by units of its own. */
export function sliceTracked({ text, starts, ends }: TrackedText, start: number, end: number): TrackedText {
  if (start === 0 && end === text.length) return { text, starts, ends }
  return { text: text.slice(start, end), starts: starts.slice(start, end), ends: ends.slice(start, end) }
}

/** The same text with an inserted prefix, which has no source. */
export function prependTracked(prefix: string, tracked: TrackedText): TrackedText {
  const builder = createTrackedTextBuilder()
  const at = tracked.starts[0] ?? 0
  builder.add(prefix, at, at)
  builder.copy(tracked, 0, tracked.text.length)
  return builder.build()
}

/** The source range of units `[start, end)` of a tracked text. `start` must lie before `end`. */
export function toSourceRange(tracked: TrackedText, start: number, end: number): { start: number; end: number } {
  const from = tracked.starts[start] ?? 0
  return { start: from, end: Math.max(from, tracked.ends[end - 1] ?? from) }
}

/** Creates an empty builder. */
export function createTrackedTextBuilder(): TrackedTextBuilder {
  const parts: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  return {
    add: (text, start, end) => {
      parts.push(text)
      for (let index = 0; index < text.length; index++) {
        starts.push(start)
        ends.push(end)
      }
    },
    copy: (from, start, end) => {
      parts.push(from.text.slice(start, end))
      for (let index = start; index < end; index++) {
        starts.push(from.starts[index] ?? 0)
        ends.push(from.ends[index] ?? 0)
      }
    },
    build: () => ({ text: parts.join(''), starts, ends }),
  }
}
