import { expect, it } from 'vitest'
import { chooseBehaviour, collectRequestText } from './behaviour.ts'
import { readLoadScript } from './read-script.ts'
import { type MockScript, mockOptions } from './script.ts'

const call = { rpc: 'PredictStream', call: 2, text: 'hello world' }

it('takes the first rule whose conditions all match', () => {
  const text = (rules: MockScript['rules']) => chooseBehaviour({ rules }, call).text
  expect(text([{ do: { text: 'any' } }])).toBe('any')
  expect(
    text([
      { rpc: 'Predict', do: { text: 'other' } },
      { rpc: 'Predict*', do: { text: 'both' } },
    ]),
  ).toBe('both')
  expect(
    text([
      { contains: 'bye', do: { text: 'no' } },
      { contains: 'hello', do: { text: 'yes' } },
    ]),
  ).toBe('yes')
  expect(
    text([
      { call: 1, do: { text: 'first' } },
      { call: 2, do: { text: 'second' } },
    ]),
  ).toBe('second')
  expect(text([{ rpc: 'PredictStream', call: 3, do: { text: 'no' } }])).toBeUndefined()
  expect(text(undefined)).toBeUndefined()
})

it('reaches calls about the process by name only', () => {
  const rules = [{ do: { text: 'any' } }, { rpc: 'Health', do: { text: 'health' } }]
  expect(chooseBehaviour({ rules }, { rpc: 'Health', call: 1, text: '' }).text).toBe('health')
  expect(chooseBehaviour({ rules }, { rpc: 'LoadModel', call: 1, text: '' }).text).toBeUndefined()
})

it('finds text anywhere in a request, but not in bytes', () => {
  const request = { Prompt: 'a', Messages: [{ content: 'b' }], Metadata: { k: 'c' }, n: 1, bytes: Buffer.from('zzz') }
  expect(collectRequestText(request).split('\n')).toEqual(['a', 'b', 'c'])
})

it('reads a script from the options of a load, over the one before', () => {
  const script: MockScript = { rules: [{ do: { text: 'grüße: "x"' } }], embeddingDimension: 8 }
  const before: MockScript = { record: '/before', embeddingLayout: 'per-token' }
  expect(readLoadScript(['other:1', ...mockOptions(script)], before)).toEqual({ ...before, ...script })
  expect(readLoadScript(['record:/a:b'], before)).toEqual({ ...before, record: '/a:b' })
  expect(readLoadScript([], before)).toBe(before)
  expect(() => readLoadScript(['script:[]'], before)).toThrow('a mock script is a JSON object')
})
