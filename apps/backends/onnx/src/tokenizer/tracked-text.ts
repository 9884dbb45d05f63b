/** A text made from another one, each UTF-16 unit with the part of the source it came from. */
export interface TrackedText {
  readonly text: string
  /** Where in the source the part of each unit begins, in UTF-16 units; never falling. */
  readonly starts: readonly number[]
  /** Where it ends; equal to the start for what was put in and stands for nothing. */
  readonly ends: readonly number[]
}

/** Puts a tracked text together, from front to back. */
export interface TrackedTextBuilder {
  /** Adds text of which every unit came from `[start, end)` of the source. */
  add(text: string, start: number, end: number): void
  /** Adds a part of a tracked text as it is. */
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

/** The same text with something in front that stands for nothing. */
export function prependTracked(prefix: string, tracked: TrackedText): TrackedText {
  const builder = createTrackedTextBuilder()
  const at = tracked.starts[0] ?? 0
  builder.add(prefix, at, at)
  builder.copy(tracked, 0, tracked.text.length)
  return builder.build()
}

/** The part of the source that units `[start, end)` of a tracked text came from. `start` must lie before `end`. */
export function sourceRange(tracked: TrackedText, start: number, end: number): { start: number; end: number } {
  const from = tracked.starts[start] ?? 0
  return { start: from, end: Math.max(from, tracked.ends[end - 1] ?? from) }
}

/** A text without anything in it yet. */
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
