import { expect, it } from 'vitest'
import { SourceText } from '../source-text.ts'
import { findCheckpoint, isPlace, toPlace, toPlaceNumber } from './checkpoints.ts'

it.each(['a'.repeat(70), '🔑'.repeat(35), `a${'🔑'.repeat(34)}`])(
  'places lie in front of whole characters: %s',
  (string) => {
    const text = new SourceText(string)
    const boundaries = Array.from({ length: string.length }, (_, at) => at).filter((at) => text.boundaryAt(at) === at)
    const places = boundaries.filter((at) => isPlace(text, at, 16))
    expect(places).toEqual([0, 1, 2, 3, 4].map((number) => toPlace(text, number, 16)))
    for (const at of boundaries) {
      const number = toPlaceNumber(text, at, 16)
      expect(toPlace(text, number, 16)).toBe(places.findLast((place) => place <= at))
      const next = places.find((place) => place >= at)
      if (next !== undefined) expect(findCheckpoint(text, at)).toBe(next)
    }
  },
)
