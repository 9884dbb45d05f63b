import { expect, test } from 'vitest'
import { readFileChange } from './file-change.ts'

test('a change of a model file is read from the arguments of its call', () => {
  expect(readFileChange('{"name":"m","patch":{"a":1},"dry_run":false}')).toEqual({
    name: 'm',
    body: { a: 1 },
    isDryRun: false,
  })
  expect(readFileChange('{"name":"m","config":"name: m"}')).toEqual({ name: 'm', body: 'name: m', isDryRun: true })
})

test.each([
  '{',
  '[]',
  '{"patch":{}}',
  '{"name":"m"}',
  '{"name":"m","patch":{},"config":"x"}',
  '{"name":"","config":"x"}',
])('arguments that are not those of one change are shown as they are: %s', (text) => {
  expect(readFileChange(text)).toBeUndefined()
})
