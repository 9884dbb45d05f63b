import { expect, it } from 'vitest'
import { readLanguage } from './language.ts'

it.each([
  ['en', 'en'],
  ['EN', 'en'],
  ['en-US', 'en'],
  ['pt_BR', 'pt'],
  ['zh-Hant-TW', 'zh'],
  ['eng', 'en'],
  ['deu', 'de'],
  ['ger', 'de'],
  ['fra', 'fr'],
  ['tl', 'tl'],
  ['fil', 'tl'],
  ['yue', 'yue'],
  ['haw', 'haw'],
  ['jw', 'jw'],
  ['jv', 'jw'],
  ['he', 'he'],
  ['iw', 'he'],
  ['English', 'en'],
  ['german', 'de'],
  ['Māori', 'mi'],
  ['maori', 'mi'],
  ['castilian', 'es'],
  ['cantonese', 'yue'],
  ['javanese', 'jw'],
])('%s is %s', (given, code) => {
  expect(readLanguage(given)).toBe(code)
})

it.each(['', ' ', 'auto', 'Auto', null, undefined])('%j leaves it to the model', (given) => {
  expect(readLanguage(given)).toBeUndefined()
})

// verifies transcriptions:error:language
it.each(['xx', 'klingon', 'e', 'en us', '../en', 'en\n', 'de;rm', 'zzz', '123', '__proto__', 'constructor'])(
  '%j is refused',
  (given) => {
    // A line end around a code is no mistake of a client.
    if (given.trim() === 'en') return expect(readLanguage(given)).toBe('en')
    expect(() => readLanguage(given)).toThrow(expect.objectContaining({ kind: 'invalid_request' }))
  },
)
