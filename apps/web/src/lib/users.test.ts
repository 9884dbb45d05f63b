// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { labelUsers } from './users.ts'

describe('labels of accounts', () => {
  const { labelOf, idOf } = labelUsers([
    { id: 'u1', name: 'Ada', email: 'ada@example.org' },
    { id: 'u2', name: 'Kim', email: 'kim@example.org' },
    { id: 'u3', name: 'Kim', email: 'kim@example.net' },
    { id: 'u4', name: '', email: 'four@example.org' },
    { id: 'u5', name: '', email: '' },
  ])

  it('are names where nobody shares them, and addresses otherwise', () => {
    const labels = ['u1', 'u2', 'u3', 'u4', 'u5'].map(labelOf)
    expect(labels).toEqual(['Ada', 'kim@example.org', 'kim@example.net', 'four@example.org', 'u5'])
  })

  it('are no address of another account', () => {
    const { labelOf } = labelUsers([
      { id: 'u1', name: 'kim@example.org', email: 'ada@example.org' },
      { id: 'u2', name: 'kim@example.org', email: 'kim@example.org' },
      { id: 'u3', name: 'lee@example.org', email: 'lee@example.org' },
    ])
    expect(['u1', 'u2', 'u3'].map(labelOf)).toEqual(['ada@example.org', 'kim@example.org', 'lee@example.org'])
  })

  it('lead back to ids', () => {
    expect(['Ada', 'kim@example.net', 'u5'].map(idOf)).toEqual(['u1', 'u3', 'u5'])
  })

  it('are the ids of accounts that are gone, and an id finds itself', () => {
    expect(labelOf('gone')).toBe('gone')
    expect(idOf('u1')).toBe('u1')
  })
})
