import fc from 'fast-check'
import { expect, test } from 'vitest'
import { takeSentences } from './sentences.ts'

test('waits for the end of a sentence', () => {
  expect(takeSentences('Half a sen', 0, false)).toEqual({ text: '', end: 0 })
  expect(takeSentences('One. Two', 0, false)).toEqual({ text: 'One.', end: 4 })
  expect(takeSentences('One. Two! Th', 4, false)).toEqual({ text: 'Two!', end: 9 })
  expect(takeSentences('Pi is 3.', 0, false)).toEqual({ text: '', end: 0 })
  expect(takeSentences('Pi is 3.14 now. ', 0, false).text).toBe('Pi is 3.14 now.')
})

test('ends lines and sentences of other scripts', () => {
  expect(takeSentences('- item\n- next', 0, false).text).toBe('- item')
  expect(takeSentences('你好。再见', 0, false).text).toBe('你好。')
})

test('nothing is told twice and nothing is left out', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.nat({ max: 12 })), (text, steps) => {
      let told = 0
      let length = 0
      let said = ''
      for (const step of steps) {
        length = Math.min(text.length, length + step)
        const { end } = takeSentences(text.slice(0, length), told, false)
        expect(end).toBeGreaterThanOrEqual(told)
        said += text.slice(told, end)
        told = end
      }
      const last = takeSentences(text, told, true)
      expect(said + text.slice(told, last.end)).toBe(text)
    }),
  )
})
