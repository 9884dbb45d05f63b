import {
  applySplices,
  encodeJsonString,
  type JsonNode,
  parseJson,
  type Splice,
  type StringLeaf,
  walkStrings,
} from '@svc/json'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const document = fc
  .tuple(fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([value, indent]) => new TextEncoder().encode(JSON.stringify(value, undefined, indent)))

/** Chooses new texts for some strings of the document: leaf number → text. */
function chooseReplacements(
  leaves: readonly StringLeaf[],
  texts: readonly (string | undefined)[],
): (string | undefined)[] {
  return leaves.map((_, index) => texts[index % texts.length])
}

function splicesFor(leaves: readonly StringLeaf[], replacements: readonly (string | undefined)[]): Splice[] {
  return leaves.flatMap(({ node: { start, end } }, index) => {
    const text = replacements[index]
    return text === undefined ? [] : [{ start, end, replacement: encodeJsonString(text) }]
  })
}

/** The bytes before, between and after the given tokens. */
function gaps(bytes: Uint8Array, nodes: readonly JsonNode[]): string[] {
  const edges = [0, ...nodes.flatMap(({ start, end }) => [start, end]), bytes.length]
  const found: string[] = []
  for (let index = 0; index < edges.length; index += 2) found.push(bytes.slice(edges[index], edges[index + 1]).join())
  return found
}

describe('replacing strings of a document by splices', () => {
  it('changes those strings and no other byte', () => {
    const texts = fc.array(fc.option(fc.string({ unit: 'binary' }), { nil: undefined }), { minLength: 1, maxLength: 7 })
    fc.assert(
      fc.property(document, texts, (bytes, candidates) => {
        const leaves = Array.from(walkStrings(parseJson(bytes).root))
        const replacements = chooseReplacements(leaves, candidates)
        const edited = applySplices(bytes, splicesFor(leaves, replacements))
        const after = Array.from(walkStrings(parseJson(edited).root), ({ node }) => node)
        const before = leaves.map(({ node }) => node)
        expect(after.map((node) => node.text())).toEqual(
          before.map((node, index) => replacements[index] ?? node.text()),
        )
        expect(gaps(edited, after)).toEqual(gaps(bytes, before))
        for (const [index, node] of after.entries()) {
          if (replacements[index] === undefined) expect(node.raw()).toEqual(before[index]?.raw())
        }
      }),
      { numRuns: 500 },
    )
  })

  it('gives the value with the strings replaced', () => {
    const source = '{ "model" : "caf\\u00e9",\n"messages":[{"content":"\\ud800"} ] , "x":1.50, "model":"b" }'
    const bytes = new TextEncoder().encode(source)
    const { root } = parseJson(bytes)
    const splices = root
      .getAll('model')
      .map(({ start, end }) => ({ start, end, replacement: encodeJsonString('demo') }))
    const lone = Array.from(walkStrings(root)).filter(({ node }) => node.hasLoneSurrogate)
    for (const { node } of lone) {
      splices.push({ start: node.start, end: node.end, replacement: encodeJsonString(node.text()) })
    }
    expect(new TextDecoder().decode(applySplices(bytes, splices))).toBe(
      '{ "model" : "demo",\n"messages":[{"content":"\ufffd"} ] , "x":1.50, "model":"demo" }',
    )
  })
})
