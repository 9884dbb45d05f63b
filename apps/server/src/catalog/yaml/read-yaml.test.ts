import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readYaml } from './read-yaml.ts'
import { toPlainValue } from './scalars.ts'

function plain(text: string): unknown {
  const result = readYaml(text)
  if (!result.ok) throw new Error(`${result.line}: ${result.reason}`)
  return toPlainValue(result.root)
}

function fault(content: string | Uint8Array): { line: number | undefined; reason: string } {
  const result = readYaml(content)
  if (result.ok) throw new Error('was read')
  return { line: result.line, reason: result.reason }
}

describe('accepted texts', () => {
  it.each<[string, string, unknown]>([
    ['an empty text', '', null],
    ['a comment', '# nothing', null],
    ['a map in any style', 'a: 1\nb: {c: [d, "e"]}\n', { a: 1, b: { c: ['d', 'e'] } }],
    ['the first document only', 'a: 1\n---\nb: [', { a: 1 }],
    ['text before an end marker', 'a: 1\n...\nfoo: [', { a: 1 }],
    ['a byte order mark', '\ufeffa: 1', { a: 1 }],
    ['Windows line ends', 'a: |\r\n  x\r\n  y\r\nb: 2\r\n', { a: 'x\ny\n', b: 2 }],
    [
      'block scalars exactly',
      'a: |\n  x\n\nb: |-\n  x\nc: |+\n  x\n\nd: >\n  x\n  y\n',
      {
        a: 'x\n',
        b: 'x',
        c: 'x\n\n',
        d: 'x y\n',
      },
    ],
    [
      'numbers',
      'a: 0x10\nb: 1_000\nc: 010\nd: .5\ne: -1e3\nf: 0o17\ng: 0b11\nh: 08',
      {
        a: 16,
        b: 1000,
        c: 8,
        d: 0.5,
        e: -1000,
        f: 15,
        g: 3,
        h: 8,
      },
    ],
    ['booleans without a key that says so', 'a: true\nb: yes\nc: "true"', { a: true, b: 'yes', c: 'true' }],
    ['nulls', 'a: ~\nb:\nc: null\nd: "null"', { a: null, b: null, c: null, d: 'null' }],
    ['keys that look like something else', '1: a\nyes: b\nnull: c', { 1: 'a', yes: 'b', null: 'c' }],
    ['aliases', 'a: &x [1]\nb: *x\n&y c: *y', { a: [1], b: [1], c: 'c' }],
    ['an anchor defined again', 'a: &x 1\nb: &x 2\nc: *x', { a: 1, b: 2, c: 2 }],
    [
      'core tags',
      'a: !!str 1\nb: !!int "3"\nc: ! 4\nd: !!map {e: !!seq [f]}',
      { a: '1', b: 3, c: '4', d: { e: ['f'] } },
    ],
    ['YAML 1.1 when the text asks for it', '%YAML 1.1\n---\na: 1', { a: 1 }],
  ])('%s', (_name, text, expected) => {
    expect(plain(text)).toEqual(expected)
  })

  it.each([
    ['a plain key', 'x: &x {a: 1, b: 2}\nm:\n  <<: *x\n  b: 3'],
    ['a tagged key', 'x: &x {a: 1, b: 2}\nm:\n  !!merge <<: *x\n  b: 3'],
    ['a list, its first map winning', 'x: &x {a: 1}\nm:\n  b: 3\n  <<: [*x, {a: 9}]'],
    ['own keys before and after', 'x: &x {a: 0, b: 0}\nm:\n  a: 1\n  <<: *x\n  b: 3'],
  ])('merges maps: %s', (_name, text) => {
    expect(plain(text)).toMatchObject({ m: { a: 1, b: 3 } })
  })

  it('takes a quoted << for a key', () => {
    expect(plain('"<<": {a: 1}')).toEqual({ '<<': { a: 1 } })
  })

  it('tells lines from 1', () => {
    const result = readYaml('# comment\na: 1\nb:\n  - x\n  - y: z')
    if (!result.ok || result.root.kind !== 'map') throw new Error('not read')
    const list = result.root.entries.get('b')
    expect(list?.line).toBe(3)
    expect(list?.value).toMatchObject({ items: [{ line: 4 }, { line: 5 }] })
  })
})

describe('refused texts', () => {
  it.each<[string, string | Uint8Array, number | undefined, RegExp]>([
    ['a duplicate key', 'a: 1\nb: 2\na: 3', 3, /^key "a" is already defined at line 1$/],
    ['a duplicate key in a flow map', '{a: 1, a: 2}', 1, /already defined/],
    ['two merge keys', '<<: {}\n<<: {}', 2, /"<<" is already defined at line 1/],
    ['a merge of something else', '<<: 1', 1, /needs a map/],
    ['a tab as indentation', 'a:\n\tb: 1', 2, /[Tt]ab/],
    ['a key without value', 'a: 1\nb', 2, /map values/],
    ['a list as key', '? [a]\n: b', 1, /key that is not text/],
    ['a bracket too many', 'a: [1]]', 1, /flow-seq-end/],
    ['a bracket too few', 'a: [1', 1, /end with a \]/],
    ['an unknown alias', 'a: *b', 1, /alias "b" has no anchor/],
    ['an alias inside its own anchor', 'a: &a [*a]', 1, /no anchor before it/],
    ['a foreign tag', 'a: !!python/object:os.system x', 1, /tag .*not known/],
    ['a set', 'a: !!set {b}', 1, /tag .*not known/],
    ['the key __proto__', 'a: 1\n__proto__: {b: 2}', 2, /not allowed/],
    ['a merged __proto__', 'a: 1\n<<: {__proto__: 1}', 2, /not allowed/],
    ['a zero byte', 'a: 1\nb: \0', 2, /control character/],
    ['an escape character', 'a: \u001b[31m', 1, /control character/],
    ['bytes that are no UTF-8', Uint8Array.of(0x61, 0x3a, 0x20, 0xff), undefined, /not UTF-8/],
    ['UTF-16', Buffer.from('\ufeffa: 1', 'utf16le'), undefined, /not UTF-8/],
    ['binary junk', Buffer.from('GGUF\u0003\0\0\0'), 1, /control character/],
  ])('%s', (_name, content, line, reason) => {
    const found = fault(content)
    expect(found.line).toBe(line)
    expect(found.reason).toMatch(reason)
  })

  it('refuses one byte more than the limit', () => {
    const atLimit = `a: "${'x'.repeat(1024 * 1024 - 5)}"`
    expect(readYaml(atLimit).ok).toBe(true)
    expect(fault(`${atLimit} `)).toEqual({ line: undefined, reason: 'is larger than 1048576 bytes' })
  })

  it.each([
    ['flow lists', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
    ['flow maps', (depth: number) => '{a: '.repeat(depth) + '}'.repeat(depth)],
    ['block lists', (depth: number) => `${'- '.repeat(depth)}x`],
    ['block maps', (depth: number) => Array.from({ length: depth }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['explicit keys', (depth: number) => `${'? '.repeat(depth)}x`],
  ])('refuses %s nested deeper than 64 levels', (name, nest) => {
    if (name !== 'explicit keys') expect(readYaml(nest(64)).ok).toBe(true)
    expect(fault(nest(65)).reason).toMatch(/deeper than 64|not text/)
  })

  it('survives nesting that grows within one process', () => {
    for (const depth of [65, 500, 900, 1000, 2000, 10_000, 100_000, 500_000]) {
      for (const text of ['['.repeat(depth), '{a: '.repeat(depth), '- '.repeat(depth), `a: ${'['.repeat(depth)}`]) {
        expect(readYaml(text).ok).toBe(false)
      }
    }
  })

  it('takes 10,000 keys and refuses one more, own or merged', () => {
    const keys = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: v`).join('\n')
    expect(readYaml(keys(10_000)).ok).toBe(true)
    expect(fault(keys(10_001)).reason).toBe('has a map of more than 10000 keys')
    expect(fault(keys(20_000)).reason).toBe('has a map of more than 10000 keys')
    expect(
      fault(`${keys(6000)}\n<<: {${Array.from({ length: 6000 }, (_, at) => `m${at}: v`).join(', ')}}`).reason,
    ).toBe('has a map of more than 10000 keys')
  })

  it('refuses more than 100 aliases', () => {
    const aliases = (count: number) => `a: &a x\nb: [${'*a, '.repeat(count)}]`
    expect(readYaml(aliases(100)).ok).toBe(true)
    expect(fault(aliases(101)).reason).toBe('has more than 100 aliases')
  })

  it('refuses aliases that multiply into too many values or too many levels', () => {
    const chain = (links: number, uses: number) =>
      Array.from(
        { length: links },
        (_, at) => `a${at}: &a${at} [${at === 0 ? 'x' : `*a${at - 1}, `.repeat(uses)}]`,
      ).join('\n')
    expect(fault(chain(11, 10)).reason).toMatch(/more than 100000 values/)
    expect(fault(chain(80, 1)).reason).toMatch(/deeper than 64 levels with its aliases/)
  })

  it.each([
    ['line ends', '\n'.repeat(1 << 20)],
    ['comments', '#\n'.repeat(1 << 19)],
    ['commas', `a: [${','.repeat(1 << 19)}`],
    ['anchors', `a: ${'&a '.repeat(1 << 18)}`],
    ['directives', '%a b\n'.repeat(1 << 17)],
    ['closing brackets', ']'.repeat(1 << 20)],
    ['question marks', '? '.repeat(1 << 19)],
    ['quotes', '"'.repeat(1 << 20)],
  ])('gives up on a text of nothing but %s', (_name, text) => {
    expect(readYaml(text).ok).toBe(false)
  })
})

describe('for any text', () => {
  const fragment = fc.constantFrom(
    ...[
      'a',
      'b: ',
      '- ',
      '? ',
      ': ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '|',
      '>',
      '\n',
      '\n  ',
      '&a ',
      '*a',
      '<<: ',
      '!!merge ',
      '!t ',
    ],
    ...[
      '"',
      "'",
      '#',
      '---\n',
      '...\n',
      '%YAML 1.1\n',
      '\t',
      ' ',
      '~',
      '0x1',
      '\u0085',
      '\ud800',
      '😀',
      '\\',
      '|-\n',
      '__proto__: ',
    ],
  )

  it('answers with a value or a reason, never by throwing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join('')),
          fc.string(),
        ),
        (text) => {
          const result = readYaml(text)
          if (result.ok) expect(() => JSON.stringify(toPlainValue(result.root))).not.toThrow()
          else expect(result.reason).not.toBe('')
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('answers for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(typeof readYaml(bytes).ok).toBe('boolean')
      }),
      { numRuns: 1000 },
    )
  })

  it('reads back the values that JSON writes', () => {
    const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('__proto__'))
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value)
        const result = readYaml(text)
        // Control characters are written as escapes, except U+007F.
        if (text.includes('\u007f')) return
        expect(result.ok && toPlainValue(result.root)).toEqual(
          JSON.parse(text, (_key, each) => (Object.is(each, -0) ? 0 : each)),
        )
      }),
      { numRuns: 500 },
    )
  })
})
