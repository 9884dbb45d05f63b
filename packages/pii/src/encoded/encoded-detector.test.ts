import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Detector, ScanDocument } from '../detector.ts'
import { filterSegments } from '../filter.ts'
import type { BuiltinName } from '../pattern/builtin-names.ts'
import { BUILTINS as CATALOGUE } from '../pattern/full-catalogue.ts'
import { createPatternDetector } from '../pattern/late-detector.ts'
import { ENCODERS } from './__fixtures__/encoders.ts'
import { SECRETS } from './__fixtures__/secrets.ts'
import { createEncodedDetector } from './encoded-detector.ts'
import { ENCODINGS, type Encoding } from './encodings.ts'

const BUILTINS = CATALOGUE.builtins

const { signal } = new AbortController()
const TICKET = { patterns: [{ name: 'TICKET', match: 'tick-[0-9]{4}' }] }

function toDetector(builtins: readonly BuiltinName[], encodings: readonly Encoding[] = ENCODINGS) {
  const settings = builtins.length === 0 ? TICKET : { builtins }
  return createEncodedDetector({ detector: createPatternDetector({ name: 'd', settings }), encodings })
}

function joinTexts(...texts: readonly string[]): ScanDocument {
  let start = 0
  const segments = texts.map((text) => {
    const segment = { start, end: start + text.length }
    start = segment.end + 2
    return segment
  })
  return { text: texts.join('\n\n'), segments, messages: [] }
}

/** Finds nothing, and records the documents. */
function recording(see: (document: ScanDocument) => void): Detector {
  return {
    name: 'd',
    async detect(document) {
      see(document)
      return []
    },
  }
}

function wrap(text: string, width: number, between: string): string {
  return (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(between)
}

async function found(
  text: string,
  builtins: readonly BuiltinName[] = [],
  encodings?: readonly Encoding[],
): Promise<string[]> {
  const detections = await toDetector(builtins, encodings).detect(joinTexts(text), { signal })
  return detections.map(({ start, end }) => text.slice(start, end))
}

/** Text around an encoded text, without adjacent symbols, so that the run is exactly the encoded text. */
const before = fc.constantFrom('', ' ', 'Grüße: ', '🔑 (', 'see "', "it's <b>", '\n\n', '100% & more ')
const after = fc.constantFrom('', ' ', '. Grüße', ') 🔑', '" it was', "</b> it's", '\n\nand', ' & 100% more')
/** Encoded text beside a secret: long enough for a run, with any secret. */
const beside = fc.constantFrom('this is what they sent me: ', 'please look here ', 'für Köln 🔑 is this one: ')

it('every built-in has a secret here', () => {
  expect(Object.keys(SECRETS).sort()).toEqual(BUILTINS.map(({ name }) => name).sort())
})

describe.each(ENCODERS)('PII-7: text written as $name', ({ encoding, encode }) => {
  it.each(BUILTINS.map(({ name }) => name))('%s is found behind it, the whole of it masked', async (name) => {
    const { text, secret } = SECRETS[name] ?? { text: '', secret: '' }
    const detector = toDetector([name], [encoding])
    const property = fc.asyncProperty(before, beside, after, async (before, context, after) => {
      const encoded = encode(`${context}${text}, that is all`)
      const whole = `${before}${encoded}${after}`
      const { segments } = await filterSegments(
        { segments: [{ text: 'first' }, { text: whole }] },
        { detectors: [detector] },
      )
      const [{ spans = [], rewritten } = {}] = segments.slice(1)
      expect(spans.length).toBeGreaterThan(0)
      for (const span of spans) expect(span).toMatchObject({ source: 'pattern', action: 'mask' })
      // Text outside of the encoded part stays.
      expect(rewritten?.startsWith(before)).toBe(true)
      expect(rewritten?.endsWith(after)).toBe(true)
      expect(rewritten).not.toContain(encode(secret))
      const [span = { start: 0, end: 0 }] = spans
      const covered = whole.slice(span.start, span.end)
      if (encoding === 'base64' || encoding === 'hex') expect([spans.length, covered]).toEqual([1, encoded])
    })
    await fc.assert(property, { numRuns: 8 })
  })
})

describe('the range of a finding', () => {
  const words = 'the ticket is tick-1234 now'
  const hex = Buffer.from(words).toString('hex')

  it.each<[Encoding, string, string]>([
    ['base64', `see ${btoa(words)}!`, btoa(words)],
    ['base64', `https://host.example/in/${btoa(words)}?x`, `example/in/${btoa(words)}`],
    ['base64', `text${btoa(words)}text`, `text${btoa(words)}text`],
    ['base64', `token_${btoa(words)}==;`, `token_${btoa(words)}==`],
    ['base64', '{"a":"d2hhdD8\\/IHRpY2stMTIzNCA\\/P35+IHdoYXQ="}', 'd2hhdD8\\/IHRpY2stMTIzNCA\\/P35+IHdoYXQ='],
    ['base64', `see ${wrap(btoa(words), 5, '\n')}, so`, wrap(btoa(words), 5, '\n')],
    ['base64', `> ${wrap(btoa(words), 16, '\r\n> > ')}.`, wrap(btoa(words), 16, '\r\n> > ')],
    ['base64', `> ${wrap(btoa(words), 1, '\n> ')}.`, wrap(btoa(words), 1, '\n> ')],
    ['hex', `> ${wrap(hex, 10, '\n> ')}.`, wrap(hex, 10, '\n> ')],
    ['hex', `print: ${wrap(hex, 2, ':')}.`, wrap(hex, 2, ':')],
    ['hex', `${wrap(wrap(hex, 2, ' '), 24, '\n')}.`, wrap(wrap(hex, 2, ' '), 24, '\n')],
    ['hex', `0x${hex}.`, `0x${hex}`],
    ['hex', `f${hex}f`, `f${hex}f`],
    ['percent', 'a%20b %74ick%2d1234, c%20d', '%74ick%2d1234'],
    ['percent', '%C3%A4%20tick%2D1234%C3%A4x', 'tick%2D1234'],
    ['percent', '%FFtick%2D1234%FE%', 'tick%2D1234'],
    ['html', '&lt;b&gt;&#116;ick&#x2D;1234&lt;/b&gt;', '&#116;ick&#x2D;1234'],
    ['html', '&#128273;tick&#045;1234&#128273; &;', 'tick&#045;1234'],
    ['reversed', '🔑 4321-kcit é🔑', '4321-kcit'],
  ])('%s: %s', async (encoding, text, covered) => {
    expect(await found(text, [], [encoding])).toEqual([covered])
  })

  it('is that of each piece of a text where several things are found', async () => {
    const text = `${btoa('ticket tick-1234 and tick-5678')} tick-9012 %74ick-3456`
    const spans = await found(text)
    expect(new Set(spans)).toEqual(new Set([text.slice(0, 40), 'tick-9012', '%74ick-3456']))
  })

  it('over two parts of a message is the run in both, with the text between', async () => {
    const encoded = btoa('the ticket is tick-1234, as they said')
    const document = {
      ...joinTexts(`a ${encoded.slice(0, 17)}`, `${encoded.slice(17)} b`),
      messages: [{ start: 0, end: 2 }],
    }
    const [detection, ...others] = await toDetector([]).detect(document, { signal })
    expect(others).toEqual([])
    expect(document.text.slice(detection?.start, detection?.end)).toBe(
      `${encoded.slice(0, 17)}\n\n${encoded.slice(17)}`,
    )
    expect(await toDetector([]).detect({ ...document, messages: [] }, { signal })).toEqual([])
  })

  it('is in one part of a message where an escape in front of it is cut', async () => {
    const number = '1%2085%2005%2078%20006%20084%2091'
    const document = { ...joinTexts('a%', `20${number} b%20c`), messages: [{ start: 0, end: 2 }] }
    const [detection, ...others] = await toDetector(['fr_social_security']).detect(document, { signal })
    expect(document.text.slice(detection?.start, detection?.end)).toBe(number)
    expect(others).toEqual([])
  })

  it('is told once where a part is read alone and with the others', async () => {
    const run = btoa('the ticket is tick-3456, as they said')
    const segments = ['%74ick-1234 tick-2345', ` ${run}`].map((text) => ({ text }))
    const detectors = [toDetector([], ['base64', 'percent'])]
    const outcome = await filterSegments({ segments, messages: [{ start: 0, end: 2 }] }, { detectors })
    expect(
      outcome.segments.map(({ scanned, spans }) => spans.map(({ start, end }) => scanned.slice(start, end))),
    ).toEqual([['%74ick-1234', 'tick-2345'], [run]])
  })
})

it('a number of sixteen digits is found after base64 of other data', async () => {
  const card = btoa('4111111111111111')
  expect(await found(`it is ${card}, they say`, ['credit_card'])).toEqual([card])
})

describe('text that is not decoded', () => {
  it('is a second layer', async () => {
    const words = 'the ticket is tick-1234 now'
    const once = Buffer.from(words).toString('hex')
    expect(await found(btoa(once))).toEqual([])
    expect(await found(btoa(btoa(words)))).toEqual([])
    expect(await found('tick&#37;2D1234 %26%2345;')).toEqual([])
    expect(await found([...once].reverse().join(''))).toEqual([])
  })

  it('is a run of less than 24 characters', async () => {
    const [shorter, long] = ['is tick-1234 ..', 'is tick-1234 ...'].map((text) => btoa(text).replace(/=+$/, ''))
    expect([shorter?.length, long?.length]).toEqual([20, 22])
    expect(await found(`${shorter} ${long}`)).toEqual([])
    for (const words of ['it is tick-1234 ..', 'it is tick-1234 .', 'it is tick-1234 ']) {
      const enough = btoa(words)
      expect(enough).toHaveLength(24)
      expect(await found(enough)).toEqual([enough])
    }
  })

  it('is an encoding that was not requested', async () => {
    for (const { encoding, encode } of ENCODERS) {
      const others = ENCODINGS.filter((one) => one !== encoding)
      const text = encode('the ticket is tick-1234, as they said')
      // When a pattern matches the original text, nothing is decoded.
      const plain = text.includes('tick-1234') ? ['tick-1234'] : []
      expect(await found(text, [], others)).toEqual(plain)
    }
  })
})

describe('bytes that are no text', () => {
  const bytes = fc.uint8Array({ minLength: 0, maxLength: 400 })

  it('in any of the encodings find nothing, fail nothing, and leave adjacent findings intact', async () => {
    const names = BUILTINS.flatMap(({ name, pattern }) => (pattern === undefined ? [] : [name]))
    const detector = toDetector(names)
    const property = fc.asyncProperty(bytes, fc.uuid(), fc.webUrl(), async (random, uuid, url) => {
      const base64 = Buffer.from(random).toString('base64')
      const hex = Buffer.from(random).toString('hex')
      const token = `${btoa('{"alg":"HS256","typ":"JWT"}')}.${Buffer.from(random).toString('base64url')}`
      const percent = hex.replace(/../g, '%$&')
      const text = [base64, hex, uuid, url, token, percent, '& &; &#; &#xffffff; &#55296; %'].join(' , ')
      const secret = SECRETS.codehost_token?.secret
      const detections = await detector.detect(joinTexts(`${text} ${secret}`), { signal })
      expect(new Set(detections.map(({ start, end }) => `${text} ${secret}`.slice(start, end)))).toEqual(
        new Set([secret]),
      )
    })
    await fc.assert(property, { numRuns: 300 })
  })

  it.each(ENCODERS)('as $name are read once more when there are twice as many', async ({ encode, encoding }) => {
    const work = async (times: number): Promise<number[]> => {
      let handed = 0
      let steps = 0
      const detector = recording(({ text }) => {
        handed += text.length
      })
      const yieldControl = async () => {
        steps += 1
      }
      const slices = { sliceMs: 0, yieldControl }
      const unit = encode('looks like it was \u0000\u0001 and \u0002 is ') + encode('\u0007'.repeat(30))
      const document = joinTexts(unit.repeat(times))
      await createEncodedDetector({ detector, encodings: [encoding], slices }).detect(document, { signal })
      return [handed, steps]
    }
    const [one = [], two = []] = [await work(1000), await work(2000)]
    for (const [index, count] of one.entries()) expect(two[index]).toBeLessThanOrEqual(2 * count + 10)
    expect(one.every((count) => count > 0)).toBe(true)
  })
})

describe('a detector that reads', () => {
  it('scans only the text when nothing is encoded', async () => {
    const asked: string[] = []
    const detector = recording(({ text }) => asked.push(text))
    const encodings = ENCODINGS.filter((encoding) => encoding !== 'reversed')
    const text = '100% of R&D, snake_case and https://host.example/a?b=c&d=e: nothing to see'
    await createEncodedDetector({ detector, encodings }).detect(joinTexts(text), { signal })
    expect(asked).toEqual([text])
  })

  it('reads much in parts, each about as long as the largest may be', async () => {
    const lengths: number[] = []
    const detector = recording(({ text }) => lengths.push(text.length))
    const text = `${btoa('words and words and words')} `.repeat(60_000)
    await createEncodedDetector({ detector, encodings: ['base64'] }).detect(joinTexts(text), { signal })
    expect(lengths).toHaveLength(3)
    expect(Math.max(...lengths.slice(1))).toBeLessThan(1.2 * 2 ** 20)
  })

  it('tells of a run once, however often the same thing is found in it', async () => {
    const run = btoa('tick-1234 and '.repeat(150_000))
    expect(await found(run, [], ['base64'])).toEqual([run])
  })

  it('finds reversed text in many messages, each at its place, and over the parts of one', async () => {
    const texts = ['one', 'a 4321-kcit', 'two', '21-kcit b', 'c 43']
    const document = { ...joinTexts(...texts), messages: [{ start: 3, end: 5 }] }
    const detections = await toDetector([], ['reversed']).detect(document, { signal })
    expect(detections.map(({ start, end }) => document.text.slice(start, end))).toEqual(['4321-kcit'])
    const parts = { ...joinTexts('one', 'a 43', '21-kcit b'), messages: [{ start: 1, end: 3 }] }
    const [over] = await toDetector([], ['reversed']).detect(parts, { signal })
    expect(parts.text.slice(over?.start, over?.end)).toBe('43\n\n21-kcit')
  })

  it('reads no run over the edge of a segment', async () => {
    const encoded = btoa('the ticket is tick-1234, as they said')
    for (const end of ['', '\n', '\r', ' ', '\\n', '=']) {
      const document = joinTexts(`${encoded.slice(0, 28)}${end}`, `${end}${encoded.slice(28)}`)
      expect([end, await toDetector([]).detect(document, { signal })]).toEqual([end, []])
    }
  })

  it('stops when it is no longer wanted', async () => {
    const controller = new AbortController()
    const reason = new Error('gone')
    const detector = recording(() => controller.abort(reason))
    const detection = createEncodedDetector({ detector, encodings: ['base64'] }).detect(joinTexts('x'), controller)
    await expect(detection).rejects.toBe(reason)
  })

  it('fails when the inner detector fails', async () => {
    const failure = new Error('broken')
    const detector = { name: 'd', detect: () => Promise.reject(failure) }
    const detection = createEncodedDetector({ detector, encodings: ['base64'] }).detect(joinTexts('x'), { signal })
    await expect(detection).rejects.toBe(failure)
  })

  it('knows no other encodings', () => {
    const detector = toDetector([])
    const encodings = ['rot13'] as unknown as Encoding[]
    expect(() => createEncodedDetector({ detector, encodings })).toThrow(
      expect.objectContaining({ code: 'pii_config', message: expect.stringContaining('base64, hex, percent') }),
    )
  })
})
