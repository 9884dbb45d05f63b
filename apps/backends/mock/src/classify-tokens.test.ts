import { expect, it } from 'vitest'
import { classifyTokens } from './classify-tokens.ts'

it('gives byte offsets into the UTF-8 text', () => {
  const text = 'Grüße 😀 an Änne Müller <a.b@example.com>, +49 30 1234567, Rome'
  const bytes = Buffer.from(text)
  const entities = classifyTokens(text, 0)
  expect(entities.map(({ entityGroup, text: found }) => [entityGroup, found])).toEqual([
    ['PERSON', 'Änne Müller'],
    ['EMAIL', 'a.b@example.com'],
    ['PHONE', '+49 30 1234567'],
    ['LOCATION', 'Rome'],
  ])
  for (const { start, end, text: found } of entities) expect(bytes.subarray(start, end).toString()).toBe(found)
})

it('leaves out entities below the threshold', () => {
  expect(classifyTokens('Alice Smith in Rome', 0.7).map(({ entityGroup }) => entityGroup)).toEqual(['PERSON'])
})

it('gives a stretch of text one label only', () => {
  expect(classifyTokens('https://Rome', 0).map(({ entityGroup }) => entityGroup)).toEqual(['URL'])
})
