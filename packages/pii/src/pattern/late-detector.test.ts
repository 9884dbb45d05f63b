import { describe, expect, it } from 'vitest'
import type { ScanDocument } from '../detector.ts'
import type { PatternSettings } from './detector.ts'
import { createPatternDetector } from './late-detector.ts'

const { signal } = new AbortController()
const TOKEN = `ghp_${'aB3d'.repeat(9)}`
const TEXT = `token ${TOKEN}, mail ada@lab.example`

const toDocument = (text: string): ScanDocument => ({
  text,
  segments: [{ start: 0, end: text.length }],
  messages: [],
})

const create = (settings: PatternSettings) => createPatternDetector({ name: 'late', settings })

describe('a detector of patterns', () => {
  it('that names a built-in loads the catalogue with its first search, and then answers at once', async () => {
    const detector = create({ builtins: ['all'], entityActions: { GITHUB_TOKEN: 'block' } })
    const both = [detector.detect(toDocument(TEXT), { signal }), detector.detect(toDocument(TEXT), { signal })]
    for (const found of both) {
      expect(found).toBeInstanceOf(Promise)
      expect((await found).map(({ group, action }) => [group, action])).toEqual([
        ['CODEHOST_TOKEN', 'block'],
        ['EMAIL', 'mask'],
      ])
    }
    expect(detector.detect(toDocument(TEXT), { signal })).toHaveLength(2)
  })

  it('that names none answers at once', () => {
    const detector = create({ builtins: [], patterns: [{ name: 'T', match: 'token' }] })
    expect(detector.detect(toDocument(TEXT), { signal })).toMatchObject([{ group: 'T' }])
  })

  it.each([
    [{ builtins: ['secrets', 'nothing'] }, /"nothing" is not a built-in/],
    [{ builtins: ['secrets'], entityActions: { GITHUB_TOKEN: 'hide' } }, /hide/],
    [{ builtins: ['secrets'], patterns: [{ name: 'X', match: '(' }] }, /patterns\[0\]/],
  ])('refuses %j before it searches', (settings, message) => {
    expect(() => create(settings as PatternSettings)).toThrow(message)
  })
})
