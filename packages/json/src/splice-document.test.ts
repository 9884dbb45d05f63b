import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { everyStep } from './__fixtures__/every-step.ts'
import { encodeJsonString } from './encode.ts'
import { JsonError } from './errors.ts'
import type { JsonLimits } from './guard.ts'
import { parseJson } from './parse.ts'
import { applySplices, type Splice } from './splice.ts'
import { spliceCooperatively } from './splice-document.ts'
import type { JsonDocument, JsonNode } from './tree.ts'
import { walkStrings } from './walk-strings.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** All facts of a document: its words, and the answers of the accessors that read them. */
function describeDocument({ bytes, tape, nodeCount, root }: JsonDocument) {
  const words = Array.from({ length: tape.length }, (_, index) => [tape.first(index), tape.second(index)])
  const strings = Array.from(walkStrings(root), (leaf) => {
    const { start, end, length, hasLoneSurrogate } = leaf.node
    return [leaf.role, leaf.path(), leaf.node.text(), start, end, length, hasLoneSurrogate]
  })
  return { bytes, words, nodeCount, strings, kind: root.kind, raw: root.rawText(), value: root.toValue() }
}

type Outcome = ReturnType<typeof describeDocument> | { readonly message: string; readonly details: unknown }

async function describeOutcome(run: () => JsonDocument | Promise<JsonDocument>): Promise<Outcome> {
  try {
    return describeDocument(await run())
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return { message: error.message, details: error.details }
  }
}

/** Expects the document, or the refusal, of a fresh parse. */
async function expectFreshParse(document: JsonDocument, splices: readonly Splice[], limits?: JsonLimits) {
  const spliced = await describeOutcome(() => spliceCooperatively(document, splices, limits, everyStep().options))
  const isEdited = splices.length > 0
  const parsed = await describeOutcome(() =>
    parseJson(applySplices(document.bytes, splices), isEdited ? limits : undefined),
  )
  expect(spliced).toStrictEqual(parsed)
}

/** Every node of a document in source order, keys included. */
function* listNodes(node: JsonNode): Generator<JsonNode> {
  yield node
  for (const { key, value } of node.entries()) {
    yield key
    yield* listNodes(value)
  }
  for (const item of node.items()) yield* listNodes(item)
}

const values = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 })
const texts = fc
  .tuple(values, fc.constantFrom(undefined, 1, '\t'))
  .map(([value, indent]) => JSON.stringify(value, undefined, indent))
const documents = fc
  .tuple(texts, fc.constantFrom('', ' ', '\n\t '))
  .map(([text, space]) => parseJson(encode(space + text + space)))

const strings = fc.string({ unit: 'binary' }).map(encodeJsonString)
const fragments = fc
  .constantFrom('', ' ', '1', '"a":1', '1,2', ',', '{', ']', '"', '"\\x"', '\\', 'nul', '[[[[1]]]]', '{"a":{"b":{}}}')
  .map(encode)
const replacements = fc.oneof(
  { weight: 4, arbitrary: strings },
  { weight: 2, arbitrary: texts.map((text) => encode(` ${text}\n`)) },
  { weight: 1, arbitrary: fragments },
)

/** Chooses tokens of a document, no one inside another, and replaces them. */
function chooseTokens(document: JsonDocument, choices: readonly (Uint8Array | undefined)[]): Splice[] {
  const splices: Splice[] = []
  let end = 0
  let turn = 0
  for (const node of listNodes(document.root)) {
    if (node.start < end) continue
    const replacement = choices[turn++ % choices.length]
    if (replacement === undefined) continue
    splices.push({ start: node.start, end: node.end, replacement })
    end = node.end
  }
  return splices
}

const choices = (replacement: fc.Arbitrary<Uint8Array>) =>
  fc.array(fc.option(replacement, { nil: undefined, freq: 1 }), { minLength: 1, maxLength: 7 })
const limits = fc.record({ maxDepth: fc.nat(5), maxNodes: fc.nat(20) })

describe('spliceCooperatively', () => {
  it('equals a fresh parse where strings, keys among them, are replaced by strings', () =>
    fc.assert(
      fc.asyncProperty(documents, choices(strings), async (document, chosen) => {
        const leaves = [...walkStrings(document.root)]
        const splices = leaves.flatMap(({ node: { start, end } }, index) => {
          const replacement = chosen[index % chosen.length]
          return replacement === undefined ? [] : [{ start, end, replacement }]
        })
        await expectFreshParse(document, splices)
      }),
      { numRuns: 300 },
    ))

  it('equals a fresh parse where any tokens are replaced by anything, within any limits', () =>
    fc.assert(
      fc.asyncProperty(
        documents,
        choices(replacements),
        fc.option(limits, { nil: undefined, freq: 2 }),
        fc.boolean(),
        async (document, chosen, someLimits, isReversed) => {
          const splices = chooseTokens(document, chosen)
          await expectFreshParse(document, isReversed ? splices.toReversed() : splices, someLimits)
        },
      ),
      { numRuns: 1000 },
    ))

  it('equals a fresh parse where any ranges of bytes are replaced', () =>
    fc.assert(
      fc.asyncProperty(
        documents,
        fc.uniqueArray(fc.nat(), { maxLength: 8 }),
        fc.array(replacements, { minLength: 4, maxLength: 4 }),
        async (document, cuts, some) => {
          const offsets = [...new Set(cuts.map((cut) => cut % (document.bytes.length + 1)))].sort((a, b) => a - b)
          const splices = some.flatMap((replacement, index) => {
            const [start, end] = offsets.slice(index * 2, index * 2 + 2)
            return start === undefined || end === undefined ? [] : [{ start, end, replacement }]
          })
          await expectFreshParse(document, splices)
        },
      ),
      { numRuns: 1000 },
    ))

  const splice = (source: string, part: string, replacement: string): Splice => {
    const start = source.indexOf(part)
    return { start, end: start + part.length, replacement: encode(replacement) }
  }

  it.each([
    ['the whole document', '{"a":[1]}', '{"a":[1]}', '"b"'],
    ['a scalar document', ' 7 ', '7', '[{"a":null}]'],
    ['the first key', '{"a":1,"b":2}', '"a"', '"longer"'],
    ['the last value', '{"a":1,"b":2}', '2', '{"c":{"d":[]}}'],
    ['an object between others', '[{"a":[{}]},{"b":2},{}]', '{"b":2}', '"x"'],
    ['an array by an empty one', '[[1,[2],{"a":3}],4]', '[1,[2],{"a":3}]', '[]'],
    ['JSON in a string', '{"arguments":"{\\"to\\":\\"ann\\"}"}', '"{\\"to\\":\\"ann\\"}"', '"{\\"to\\":\\"[NAME]\\"}"'],
    ['ASCII by other text', '["a","b"]', '"a"', '"é\\ud800\\n"'],
    ['a key by a number', '{"a":1}', '"a"', '7'],
    ['a string by a number', '["a"]', '"a"', '7'],
    ['a key and its value', '{"a":1}', '"a":1', '"b":2'],
    ['nothing before the document', '[1]', '', ' '],
    ['nothing before the document by a value', '[1]', '', '2'],
    ['a closing bracket', '[1]', ']', ',2]'],
    ['an opening bracket', '[1]', '[', '[0,'],
    ['a comma', '[1,2]', ',', ' , '],
    ['a part of a number', '[12]', '2', '3'],
    ['a part of a string', '["abc"]', 'b', '\\n'],
    ['a string by an open one', '["abc"]', '"abc"', '"abc'],
    ['a string by two values', '["abc"]', '"abc"', '1,2'],
    ['a string by nothing', '["abc"]', '"abc"', ''],
  ])('equals a fresh parse: %s', async (_, source, part, replacement) => {
    await expectFreshParse(parseJson(encode(source)), [splice(source, part, replacement)])
  })

  it('equals a fresh parse after an insertion behind the document', async () => {
    const document = parseJson(encode('[1] '))
    for (const text of [' ', '2', ',']) {
      await expectFreshParse(document, [{ start: 4, end: 4, replacement: encode(text) }])
    }
  })

  it('returns the same document when there is nothing to do', async () => {
    const document = parseJson(encode('[1]'))
    expect(await spliceCooperatively(document, [])).toBe(document)
  })

  it('splices a spliced document', async () => {
    const source = '{"a":{"b":"c"},"d":["e"]}'
    const once = await spliceCooperatively(parseJson(encode(source)), [splice(source, '{"b":"c"}', '"x"')])
    await expectFreshParse(once, [splice('{"a":"x","d":["e"]}', '"e"', '"second"')])
  })

  describe('on a large document', () => {
    const source = JSON.stringify({
      first: 'ann',
      long: 'x'.repeat(200_000),
      list: Array.from({ length: 4000 }, (_, index) => ({ [`k${index}`]: index })),
      last: 'bob',
    })
    const document = parseJson(encode(source))
    const splices = [
      splice(source, '"ann"', '"[NAME]"'),
      { ...splice(source, `"${'x'.repeat(200_000)}"`, ''), replacement: encode(`"${'y'.repeat(200_000)}"`) },
      splice(source, '"bob"', '"[NAME]"'),
    ]

    it('equals a fresh parse, and yields on the way', async () => {
      await expectFreshParse(document, splices)
      const { options, yields } = everyStep()
      await spliceCooperatively(document, splices, {}, options)
      expect(yields()).toBeGreaterThan(5)
    })

    it('does not parse kept bytes', async () => {
      const spoiled = parseJson(encode(source))
      spoiled.bytes.fill(0, source.indexOf('x'), source.indexOf('x') + 10)
      const { root } = await spliceCooperatively(spoiled, splices.slice(0, 1))
      expect(root.get('first')?.text()).toBe('[NAME]')
      expect(root.get('last')?.text()).toBe('bob')
    })

    it('throws the reason of the signal', async () => {
      const reason = new Error('client gone')
      const controller = new AbortController()
      const options = { ...everyStep(() => controller.abort(reason)).options, signal: controller.signal }
      await expect(spliceCooperatively(document, splices, {}, options)).rejects.toBe(reason)
      await expect(spliceCooperatively(document, splices, {}, { signal: controller.signal })).rejects.toBe(reason)
    })
  })
})
