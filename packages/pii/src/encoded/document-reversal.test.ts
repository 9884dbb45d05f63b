import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ScanDocument } from '../detector.ts'
import { joinSegments } from '../document.ts'
import { DocumentReversal } from './document-reversal.ts'

function reversed(source: ScanDocument) {
  const reversal = new DocumentReversal(source)
  while (!reversal.advance()) {
    // Each call does a step.
  }
  return { document: reversal.document(), toDocument: reversal.toDocument.bind(reversal) }
}

const toDocument = (texts: readonly string[], messages: ScanDocument['messages'] = []) =>
  joinSegments({ segments: texts.map((text) => ({ text })), messages }).document

it('any document is turned round character by character, and every range leads back', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '\n', 'é', '€', '🔑', '👋', 'e\u0301'), { minLength: 1 })
  const property = fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), fc.nat(), (parts, seed) => {
    const texts = parts.map((part) => part.join(''))
    const source = toDocument(texts)
    const { document, toDocument: toSource } = reversed(source)
    expect(document.text).toBe([...source.text].reverse().join(''))
    const cut = ({ start, end }: { start: number; end: number }) => document.text.slice(start, end)
    expect(document.segments.map(cut)).toEqual(texts.map((one) => [...one].reverse().join('')).reverse())
    const segment = document.segments[seed % document.segments.length] ?? { start: 0, end: 0 }
    const { start, end } = toSource(segment)
    expect(source.text.slice(start, end)).toBe([...cut(segment)].reverse().join(''))
  })
  fc.assert(property)
})

it('parts of a message stay its parts', () => {
  const source = toDocument(
    ['a', 'b1', 'b2', 'c', 'd1', 'd2', 'd3'],
    [
      { start: 1, end: 3 },
      { start: 4, end: 7 },
    ],
  )
  const { document } = reversed(source)
  const splitParts = ({ start, end }: { start: number; end: number }) =>
    document.segments.slice(start, end).map((part) => document.text.slice(part.start, part.end))
  expect(document.messages.map(splitParts)).toEqual([
    ['3d', '2d', '1d'],
    ['2b', '1b'],
  ])
})

it('no character is cut between two steps', () => {
  for (const before of [0, 1, 2, 3]) {
    const text = 'x'.repeat(before) + '🔑é'.repeat(20_000)
    expect(reversed(toDocument([text])).document.text).toBe([...text].reverse().join(''))
  }
})

it('a document without text stays one', () => {
  expect(reversed(toDocument([])).document).toEqual({ text: '', segments: [], messages: [] })
})
