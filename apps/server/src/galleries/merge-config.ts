import { isFields } from './to-entry.ts'

type Fields = Readonly<Record<string, unknown>>

/** Joins maps deeply; values of the later one win, and lists are replaced whole. */
export function mergeConfig(base: Fields, ...later: readonly Fields[]): Fields {
  return later.reduce((merged, next) => mergeTwo(merged, next), base)
}

function mergeTwo(base: Fields, next: Fields): Fields {
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(next)) {
    const before = merged.get(key)
    merged.set(key, isFields(before) && isFields(value) ? mergeTwo(before, value) : value)
  }
  return Object.fromEntries(merged)
}
