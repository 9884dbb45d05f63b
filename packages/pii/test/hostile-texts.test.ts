import { createDetector } from '@svc/pii/detectors'
import { describe, expect, it } from 'vitest'

const { signal } = new AbortController()
const detector = createDetector({
  name: 'all',
  settings: { builtins: ['all'], phoneRegions: ['US', 'DE', 'GB'] },
  slices: { sliceMs: 600_000 },
})
/** Code units of the shorter text: more than any rule reads from one place. */
const LENGTH = 3_000
/** Twice the text may take this many times the work. */
const MOST_GROWTH = 2.4
const ADDRESS = 'ada@lab.example'

function find(text: string): string[] {
  const found = detector.detect({ text, segments: [{ start: 0, end: text.length }], messages: [] }, { signal })
  if ('then' in found) throw new Error('the search was cut into slices')
  return found.map(({ start, end }) => text.slice(start, end))
}

/** Code units that the methods of texts and of expressions read during a call. */
function countReads(work: () => void): number {
  let reads = 0
  const { charAt, charCodeAt, slice } = String.prototype
  const { exec } = RegExp.prototype
  const counted = {
    charAt(this: string, at: number) {
      reads += 1
      return charAt.call(this, at)
    },
    charCodeAt(this: string, at: number) {
      reads += 1
      return charCodeAt.call(this, at)
    },
    slice(this: string, start?: number, end?: number) {
      const piece = slice.call(this, start, end)
      reads += piece.length
      return piece
    },
  }
  const countedExec = function (this: RegExp, text: string) {
    const from = this.lastIndex
    const found = exec.call(this, text)
    if (found !== null) reads += found.index + found[0].length - from
    else if (!this.sticky) reads += text.length - from
    return found
  }
  try {
    Object.assign(String.prototype, counted)
    Object.assign(RegExp.prototype, { exec: countedExec })
    work()
  } finally {
    Object.assign(String.prototype, { charAt, charCodeAt, slice })
    Object.assign(RegExp.prototype, { exec })
  }
  return reads
}

/** What a text repeats, by the rule that reads it. */
const UNITS: Readonly<Record<string, readonly string[]>> = {
  'labels of passwords': ['pw=', 'password: ', 'пароль — ', 'hasło to ', 'パスワードは'],
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
  it.each(units)('%j is read to its end, in work that grows with it', (unit) => {
    const repeat = (length: number): string => unit.repeat(Math.ceil(length / unit.length))
    expect(find(`${repeat(LENGTH)}\n\nask ${ADDRESS}, please\n`)).toContain(ADDRESS)
    const reads = countReads(() => find(repeat(LENGTH)))
    expect(reads).toBeGreaterThan(LENGTH / 2)
    expect(countReads(() => find(repeat(2 * LENGTH))) / reads).toBeLessThan(MOST_GROWTH)
  })
})
