import { expect, it } from 'vitest'
import { endRewrite, rewriteText } from './byte-rewriter.ts'
import { createKeyRedactor } from './key-redactor.ts'

const redact = (headers: [string, string][], said: string, size: number): string | undefined => {
  const redactor = createKeyRedactor({ headers })
  if (redactor === undefined) return undefined
  let text = ''
  for (let at = 0; at < said.length; at += size) text += rewriteText(redactor, said.slice(at, at + size))
  return text + endRewrite(redactor)
}

it.each<[[string, string][], string, string]>([
  [[['authorization', 'Bearer sk-12']], 'bad key sk-12, Bearer sk-12', 'bad key [key], Bearer [key]'],
  [[['authorization', 'sk-12']], 'sk-12', '[key]'],
  [[['x-api-key', 'sk-12']], 'sk-1 sk-12sk-12 sk-1', 'sk-1 [key][key] sk-1'],
  [[['x-api-key', 'Bearer k']], 'Bearer k k', '[key] k'],
  [
    [
      ['x-api-key', 'abc'],
      ['accept', 'json'],
    ],
    'json \u00e4abc',
    'json \u00e4[key]',
  ],
  [[['x-api-key', 'a']], 'bab', 'b[key]b'],
  [[['x-api-key', 'sk-12']], '', ''],
])('with %j, %j reads %j, wherever it is split', (headers, said, expected) => {
  for (let size = 1; size <= said.length + 1; size++) expect(redact(headers, said, size)).toBe(expected)
})

it.each([[[]], [[['accept', 'json']]], [[['authorization', 'Bearer ']]], [[['x-api-key', '']]]])(
  'nothing is redacted for a request with %j',
  (headers) => {
    expect(createKeyRedactor({ headers: headers as [string, string][] })).toBeUndefined()
  },
)
