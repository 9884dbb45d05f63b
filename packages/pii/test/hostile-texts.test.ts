import { createDetector } from '@svc/pii/detectors'
import { describe, expect, it } from 'vitest'

const { signal } = new AbortController()
const detector = createDetector({
  name: 'all',
  settings: { builtins: ['all'], phoneRegions: ['US', 'DE', 'GB'] },
  slices: { sliceMs: 600_000 },
})
/** Code units of a text. A search that reads all of it for each label in it runs out of time. */
const LENGTH = 60_000
const ADDRESS = 'ada@lab.example'

async function find(text: string): Promise<string[]> {
  const found = await detector.detect({ text, segments: [{ start: 0, end: text.length }], messages: [] }, { signal })
  return found.map(({ start, end }) => text.slice(start, end))
}

/** What a text repeats, by the rule that reads it. */
const UNITS: Readonly<Record<string, readonly string[]>> = {
  'labels of passwords': ['pw', 'password: ', 'пароль — ', 'hasło to ', 'パスワードは'],
  'values behind a label': [
    `password: "'"'\``,
    `pw="${'\\'.repeat(300)}`,
    `pw=${';a'.repeat(200)}`,
    `pw=${'<a'.repeat(250)}`,
    `pw=a${')'.repeat(500)}`,
    `pw=${'Ab'.repeat(280)} `,
    `password${' '.repeat(300)}`,
  ],
  'sentences, elements and codes': [
    'password for the router at the house is ',
    `<password>${' '.repeat(200)}`,
    'set("password","',
    'code a b c d e f is ',
  ],
  arguments: [
    `curl ${'-u"'.repeat(100)}`,
    `htpasswd -b ${'-b '.repeat(60)}`,
    `htpasswd -${'b'.repeat(200)} `,
    "IDENTIFIED WITH x BY '",
  ],
  'headers and keys': ['Authorization: Basic ', 'auth("a", ', 'api_key='],
  'addresses of mail': ['@', 'a%40', '+a=', `${'a'.repeat(64)}@`, `a@${'b.'.repeat(126)}`, 'a at b dot '],
  'numbers and labels': ['SSN 12 ', '1234567 office ', 'tel: (', '1-', `number is SSN: "'\`|*`],
  'digits of other scripts': ['٣ ', '९', '१\u093e'],
  'marks and views': ['1<b>', '1&nbsp;', 'a\u0301', 'aа1', 'ที่'],
}

describe.each(Object.entries(UNITS))('a text made of %s', (_, units) => {
  it.each(units)('%j is read to its end', async (unit) => {
    const text = `${unit.repeat(Math.ceil(LENGTH / unit.length))}\n\nask ${ADDRESS}, please\n`
    expect(await find(text)).toContain(ADDRESS)
  })
})
