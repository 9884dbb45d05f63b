import { expect, test } from 'vitest'
import { createTestMessage } from './test-message.ts'
import { findNewestLeaf, listPath, listSubtree, listVersions } from './tree.ts'

const messages = [
  createTestMessage({ id: 'q1', createdAt: 1 }),
  createTestMessage({ id: 'a1', parentId: 'q1', role: 'assistant', createdAt: 2 }),
  createTestMessage({ id: 'a2', parentId: 'q1', role: 'assistant', createdAt: 3 }),
  createTestMessage({ id: 'q2', parentId: 'a1', createdAt: 4 }),
  createTestMessage({ id: 'a3', parentId: 'q2', role: 'assistant', createdAt: 5 }),
]
const ids = (list: Iterable<{ readonly id: string }>) => Array.from(list, ({ id }) => id)

test('the path leads from the first message to the leaf', () => {
  expect(ids(listPath(messages, 'a3'))).toEqual(['q1', 'a1', 'q2', 'a3'])
  expect(listPath(messages, null)).toEqual([])
})

test('a loop of parents ends', () => {
  const loop = [createTestMessage({ id: 'x', parentId: 'y' }), createTestMessage({ id: 'y', parentId: 'x' })]
  expect(ids(listPath(loop, 'x'))).toEqual(['y', 'x'])
  expect(['x', 'y']).toContain(findNewestLeaf(loop, 'x'))
})

test('versions share parent and role, the oldest first', () => {
  expect(ids(listVersions(messages, messages[2] as (typeof messages)[0]))).toEqual(['a1', 'a2'])
})

test('the newest leaf below a version is found', () => {
  expect(findNewestLeaf(messages, 'a1')).toBe('a3')
  expect(findNewestLeaf(messages, 'a2')).toBe('a2')
})

test('a subtree holds everything that follows', () => {
  expect(listSubtree(messages, 'a1')).toEqual(new Set(['a1', 'q2', 'a3']))
})
