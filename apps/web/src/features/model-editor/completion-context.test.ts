import { describe, expect, it } from 'vitest'
import { findCompletionContext } from './completion-context.ts'

/** The context at the mark `|`. */
function find(marked: string) {
  const offset = marked.indexOf('|')
  const text = marked.replace('|', '')
  const context = findCompletionContext(text, offset)
  return context && { ...context, word: text.slice(context.from, offset) }
}

describe('what is typed in a model file', () => {
  it.each([
    ['na|', { parents: [], key: undefined, word: 'na' }],
    ['name: a\npii:\n  ena|', { parents: ['pii'], key: undefined, word: 'ena' }],
    ['pii:\n  enabled: t|', { parents: ['pii'], key: 'enabled', word: 't' }],
    ['pii:\n  enabled: true\nba|', { parents: [], key: undefined, word: 'ba' }],
    ['router:\n  knn:\n    k: 3\n    em|', { parents: ['router', 'knn'], key: undefined, word: 'em' }],
    ['pii:\n  detectors:\n    - pe|', { parents: ['pii'], key: 'detectors', word: 'pe' }],
    ['pii:\n  detectors:\n  - pe|', { parents: ['pii'], key: 'detectors', word: 'pe' }],
    ['known_usecases:\n- ch|', { parents: [], key: 'known_usecases', word: 'ch' }],
    ['backend: |', { parents: [], key: 'backend', word: '' }],
    ['pii:\n  # about\n\n  det|', { parents: ['pii'], key: undefined, word: 'det' }],
  ])('is found in %j', (text, context) => {
    expect(find(text)).toMatchObject(context)
  })

  it.each(['# a comm|', 'a: { b|', 'a: "b|'])('is nothing in %j', (text) => {
    expect(find(text)).toBeUndefined()
  })
})
