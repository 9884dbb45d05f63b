import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JudgedDetection } from '../detector.ts'
import { filterSegments } from '../filter.ts'
import { createPatternDetector } from './late-detector.ts'
import { findLatinSuspect, findSuspect, toPlainForm } from './plain-characters.ts'
import { type PlainView, PlainViewer } from './plain-view.ts'

function createView(text: string, segments = [{ start: 0, end: text.length }]): PlainView | undefined {
  if (!PlainViewer.mayDiffer(text)) return undefined
  const viewer = new PlainViewer(text, segments)
  while (!viewer.advance());
  return viewer.view()
}

const detector = createPatternDetector({
  name: 'keys',
  settings: { patterns: [{ name: 'KEY', match: 'key-[0-9a-f]{8}' }] },
})

async function masked(...texts: string[]): Promise<string[]> {
  const { segments } = await filterSegments({ segments: texts.map((text) => ({ text })) }, { detectors: [detector] })
  return segments.map(({ scanned, rewritten }) => rewritten ?? scanned)
}

describe('the plain view', () => {
  it('none for ASCII, nor for plain text in other letters', () => {
    expect(createView('plain')).toBeUndefined()
    expect(createView('Grüße, 東京 😀')).toBeUndefined()
  })

  it('drops invisible characters, has letters in their plain form, and leads back to all of the text', () => {
    const text = 'a\u200bb \uff4b\uff45\uff59 \u{1d7d9}\ufb01x'
    const view = createView(text)
    expect(view?.text).toBe('ab key 1fix')
    expect(view?.segments).toEqual([{ start: 0, end: 11 }])
    const original = (start: number, end: number): string => {
      const span = view?.toText({ start, end })
      return text.slice(span?.start, span?.end)
    }
    expect([original(0, 2), original(3, 6), original(7, 8), original(8, 9), original(9, 11)]).toEqual([
      'a\u200bb',
      '\uff4b\uff45\uff59',
      '\u{1d7d9}',
      '\ufb01',
      '\ufb01x',
    ])
  })

  it('keeps the edges of segments', () => {
    const text = '\u200bone\u200b\n\n\uff54wo'
    expect(
      createView(text, [
        { start: 0, end: 5 },
        { start: 7, end: 10 },
      ]),
    ).toMatchObject({
      text: 'one\n\ntwo',
      segments: [
        { start: 0, end: 3 },
        { start: 5, end: 8 },
      ],
    })
  })
})

describe('characters that are looked at one by one', () => {
  it('are all that have another form, but letters of scripts from Devanagari to Lao, and no others', () => {
    const wrong: string[] = []
    for (let code = 0; code <= 0xffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const character = String.fromCodePoint(code)
      const isOwnLetter = code >= 0x900 && code <= 0xeff && /\p{L}/u.test(character)
      const isSuspect = findSuspect(character, 0, 1) === 0
      const differs = toPlainForm(character) !== character && !isOwnLetter
      const isFoundInLatin = code > 0xff || (findLatinSuspect(character, 0) === 0) === isSuspect
      if (isSuspect !== differs || !isFoundInLatin) wrong.push(code.toString(16))
    }
    expect(wrong).toEqual([])
  })

  it('are marks of a script, but where they follow its letters', () => {
    const own = ['नमस्ते', 'हिन्दी', 'ที่นี่', 'น้ำ', 'தமிழ்', 'ພາສາລາວ', 'ক্ষুদ্র']
    for (const word of own) {
      for (const before of ['', 'a', ' '.repeat(16_383)])
        expect([word, createView(before + word)]).toEqual([word, undefined])
    }
    expect(createView('k\u0941e\u0e35y')?.text).toBe('key')
    expect(createView('न\u0e35\u0e48')?.text).toBe('न')
    expect(createView('९\u0941\u0941८')?.text).toBe('९८')
    expect(createView(`ก${'\u0e48'.repeat(9)}`)?.text).toBe(`ก${'\u0e48'.repeat(4)}`)
  })

  it('are found wherever a step ends', () => {
    const plain = 'ж'.repeat(16_384)
    for (const character of ['\u200b', '\uff4b', '\u{1d7d9}', '\ufb01']) {
      for (let before = plain.length - 3; before <= plain.length; before += 1) {
        for (const filler of ['ж', '😀', 'a']) {
          const lead = filler.repeat(Math.ceil(before / filler.length))
          const text = `${lead}${character}${lead}`
          expect(createView(`é${text}`)?.text).toBe(`é${lead}${toPlainForm(character)}${lead}`)
        }
      }
    }
  })
})

describe('a pattern detector (PII-4, PII-5)', () => {
  const secret = 'key-0a1b2c3d'

  it.each([
    ['zero-width spaces', [...secret].join('\u200b')],
    ['soft hyphens', [...secret].join('\u00ad')],
    ['direction marks', [...secret].join('\u202e')],
    ['variation selectors', [...secret].join('\ufe0f')],
    ['tags', [...secret].join('\u{e0041}')],
    ['NUL', [...secret].join('\0')],
    ['control characters', [...secret].join('\x1b\x7f')],
    ['control characters past ASCII', [...secret].join('\x80\x9f')],
    ['tags for all of it', secret.replace(/[!-~]/g, (char) => String.fromCodePoint(char.charCodeAt(0) + 0xe0000))],
    ['tags for half of it', secret.replace(/[a-z]/g, (char) => String.fromCodePoint(char.charCodeAt(0) + 0xe0000))],
    ['combining marks', [...secret].join('\u0301')],
    ['fullwidth letters', secret.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0))],
  ])('finds text written with %s, and masks the whole run', async (_, hidden) => {
    expect(await masked(`say ${hidden} now`)).toEqual(['say [REDACTED:pattern:KEY] now'])
  })

  it('masks despite invisible characters at any position, and only the secret', async () => {
    const unseen = fc.constantFrom('\u200b', '\u00ad', '\u2060', '\ufeff', '\u{e0020}', '\u0301', '')
    const between = fc.array(unseen, { minLength: secret.length - 1, maxLength: secret.length - 1 })
    await fc.assert(
      fc.asyncProperty(
        between,
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        async (gaps, before, after) => {
          const hidden = [...secret].map((char, index) => char + (gaps[index] ?? '')).join('')
          // a letter before it would make another word, a mark after it belongs to it
          const [text] = await masked(`${before} | ${hidden}| ${after}`)
          expect(text).toBe(`${before} | [REDACTED:pattern:KEY]| ${after}`)
        },
      ),
    )
  })

  it('finds a key over two parts of a message with characters between', async () => {
    const { segments } = await filterSegments(
      { segments: [{ text: 'key-0a\u200b1b' }, { text: '2c\u200b3d' }], messages: [{ start: 0, end: 2 }] },
      { detectors: [detector] },
    )
    const spans = segments.flatMap((segment): readonly JudgedDetection[] => segment.spans)
    expect(spans.map(({ group }) => group)).toEqual(['KEY', 'KEY'])
  })
})
