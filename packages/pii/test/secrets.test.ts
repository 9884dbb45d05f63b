import { SECRET_KINDS } from '@svc/pii/catalogue'
import { createDetector } from '@svc/pii/detectors'
import { CompiledPattern } from '@svc/pii/patterns'
import { describe, expect, it } from 'vitest'
import { createRandom } from './json-text.ts'
import { NEAR_MISSES, SECRET_FORMS } from './secret-forms.ts'

const { signal } = new AbortController()

/** Finds secrets of some kinds in a text. */
async function find(builtins: NonNullable<Parameters<typeof createDetector>[0]['settings']['builtins']>, text: string) {
  const detector = createDetector({ name: 'secrets', settings: { builtins }, slices: { sliceMs: 60_000 } })
  const found = await detector.detect({ text, segments: [{ start: 0, end: text.length }], messages: [] }, { signal })
  return found.map(({ start, end, group }) => ({ text: text.slice(start, end), group }))
}

const ALPHABETS: Readonly<Record<string, string>> = {
  w: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  k: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  b: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/+',
  h: '0123456789abcdef',
  d: '0123456789',
  l: 'abcdefghijklmnopqrstuvwxyz0123456789',
  u: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  a: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  q: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
}
const RUN = /<(\d+):(\w)>/g

/** A secret of a form. The ends of a run are letters or digits, as a text around it might swallow marks. */
function fill(form: string, seed: number): string {
  const random = createRandom(seed)
  return form.replaceAll(RUN, (_, count: string, name: string) => {
    const alphabet = ALPHABETS[name] ?? ''
    const plain = alphabet.replaceAll(/[-_/+]/g, '')
    return Array.from({ length: Number(count) }, (_run, at) => {
      const from = at === 0 || at === Number(count) - 1 ? plain : alphabet
      // Four characters of each run are fixed, so that a run never has only letters.
      return '7k2d'.charAt(at - 1).toUpperCase() !== '' && name !== 'h' && from.includes('7K2D'.charAt(at - 1))
        ? '7K2D'.charAt(at - 1)
        : from.charAt(random(from.length))
    }).join('')
  })
}

/** A form whose last run has too few characters. */
function shorten(form: string): string {
  const runs = [...form.matchAll(RUN)]
  const longest = runs.toSorted((one, other) => Number(other[1]) - Number(one[1]))[0]
  if (longest === undefined) throw new Error(form)
  const [whole, , name = ''] = longest
  return `${form.slice(0, longest.index)}<2:${name}>${form.slice(longest.index + whole.length)}`
}

/** A form with each random run as a stand-in of documents. */
function pretend(form: string): string {
  return form.replaceAll(RUN, (_, count: string) => 'X'.repeat(Number(count)))
}

/** A form whose fixed text has another first letter. */
function misspell(form: string): string {
  return form.replace(/[A-Za-z]/, (letter) => (letter === 'z' ? 'y' : letter === 'Z' ? 'Y' : letter >= 'a' ? 'z' : 'Z'))
}

const isWithin = (one: string, other: string): boolean => one.includes(other) || other.includes(one)

const kinds = SECRET_KINDS.filter(({ name }) => SECRET_FORMS[name] !== undefined)

describe.each(kinds)('$name', ({ name, group, pattern, anchor, example, source, part }) => {
  const form = SECRET_FORMS[name] ?? ''

  it('is described', async () => {
    expect(source.length).toBeGreaterThan(5)
    expect(example).toContain(anchor)
    expect(new CompiledPattern(pattern).literals?.literals.some((literal) => isWithin(literal, anchor))).toBe(true)
    expect((await find([name], example)).map((found) => found.group)).toEqual([group])
  })

  it('is found in three secrets of its public form, in any surroundings', async () => {
    for (let seed = 1; seed <= 3; seed++) {
      const secret = fill(form, seed)
      for (const text of [secret, `(${secret})`, `see: "${secret}", and`, `é ${secret}\n`]) {
        const found = await find([name], text)
        expect([text, found.map((one) => one.group)]).toEqual([text, [group]])
        const [only] = found
        // A password may hold a bracket, so one behind it is taken for a part of it.
        expect(secret).toContain(only?.text.replace(/\)$/, ''))
        if (part === undefined) expect(only?.text).toBe(secret)
      }
    }
  })

  it('is not found in three near misses', async () => {
    const { short = shorten(form), other = misspell(form) } = NEAR_MISSES[name] ?? {}
    for (const miss of [fill(short, 4), pretend(form), fill(other, 5)]) {
      expect([miss, await find([name], miss)]).toEqual([miss, []])
    }
  })
})

describe('the catalogue', () => {
  it('has at least 120 kinds, each with a form', () => {
    expect(SECRET_KINDS.length).toBeGreaterThanOrEqual(120)
    expect(Object.keys(SECRET_FORMS).sort()).toEqual(
      SECRET_KINDS.map(({ name }) => name)
        .filter((name) => name !== 'private_key_block')
        .sort(),
    )
    expect(new Set(SECRET_KINDS.map(({ group }) => group)).size).toBe(SECRET_KINDS.length)
  })

  it('is named as a whole', async () => {
    const text = `${fill(SECRET_FORMS.stripe_key ?? '', 1)} jane@example.com`
    expect((await find(['secrets'], text)).map(({ group }) => group)).toEqual(['STRIPE_KEY'])
    expect((await find(['structured'], text)).map(({ group }) => group)).toEqual(['EMAIL'])
    expect((await find(['all'], text)).map(({ group }) => group)).toEqual(['STRIPE_KEY', 'EMAIL'])
  })

  it.each([
    ['ABIAQ7Q7Q7Q7Q7Q7Q7Q7', 'CLOUD_ACCESS_KEY'],
    ['ACCAQ7Q7Q7Q7Q7Q7Q7Q7', 'CLOUD_ACCESS_KEY'],
    ['AROAQ7Q7Q7Q7Q7Q7Q7Q7', 'CLOUD_ACCESS_KEY'],
    ['sk_test_0123456789abcdef', 'STRIPE_KEY'],
    ['rk_live_0123456789abcdef', 'STRIPE_KEY'],
    ['xapp-1-A0123456789-0123456789012-0123456789abcdef', 'SLACK_TOKEN'],
    ['xoxe.xoxp-1-Mi0yLTEyMzQ1Njc4OTA', 'SLACK_TOKEN'],
    ['xoxe-1-My0xLTEyMzQ1Njc4OTA', 'SLACK_TOKEN'],
  ])('knows the variant %s', async (secret, group) => {
    expect(await find(['secrets'], `key ${secret} here`)).toEqual([{ text: secret, group }])
  })

  it.each(['AKIAXXXXXXXXXXXXXXXX', 'AKIAIOSFODNN7EXAMPLE', 'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'])(
    'passes over %s, which documents show',
    async (text) => {
      expect(await find(['all'], `set ${text} here`)).toEqual([])
    },
  )

  it.each([
    ['DB_PASSWORD=w0lf-Paw7!x', 'w0lf-Paw7!x'],
    ['{"password": "w0lf-Paw7!x"}', 'w0lf-Paw7!x'],
    ['MY_SERVICE_API_KEY: 7k2dQ9mWx41Tz8Vb', '7k2dQ9mWx41Tz8Vb'],
    ["clientSecret = '7k2dQ9mWx41Tz8Vb'", '7k2dQ9mWx41Tz8Vb'],
    ['https://ada:w0lf-Paw7!x@git.corp/x', 'w0lf-Paw7!x'],
  ])('finds the private part of %s alone', async (text, secret) => {
    expect((await find(['secrets'], text)).map((found) => found.text)).toEqual([secret])
  })

  it.each([
    'password = getPassword()',
    'const password: string',
    'password: process.env.DB_PASSWORD',
    'postgres://user:password@localhost/db',
    'https://user:$PASSWORD@host/',
    'token = request.headers.authorization',
    'secretKey: nextAvailableKeyOfTheStore',
  ])('finds nothing in %s', async (text) => {
    expect(await find(['secrets'], text)).toEqual([])
  })
})
