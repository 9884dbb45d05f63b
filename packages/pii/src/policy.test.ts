import { describe, expect, it } from 'vitest'
import { createPolicy } from './policy.ts'

describe('createPolicy', () => {
  it('masks unless told otherwise', () => {
    expect(createPolicy({})('EMAIL')).toBe('mask')
  })

  it('an entry beats the default and counts for exactly its group', () => {
    const policy = createPolicy({ defaultAction: 'allow', entityActions: { EMAIL: 'block' } })
    expect(['EMAIL', 'Email', 'PHONE'].map(policy)).toEqual(['block', 'allow', 'allow'])
  })

  it.each(['constructor', '__proto__', 'toString'])('a group named %s is a group like any other', (group) => {
    expect(createPolicy({ defaultAction: 'block' })(group)).toBe('block')
  })

  it.each(['redact', 'BLOCK', '', null, 1])('refuses %o as an action', (action) => {
    expect(() => createPolicy({ defaultAction: action as 'mask' })).toThrow(/^default_action: .* is none of/)
    expect(() => createPolicy({ entityActions: { EMAIL: action as 'mask' } })).toThrow(/^entity_actions\["EMAIL"\]: /)
  })
})
