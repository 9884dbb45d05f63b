import { expect, it } from 'vitest'
import { compareActions, type PiiAction } from './action.ts'

it('block is stronger than mask, and mask than allow', () => {
  const actions: PiiAction[] = ['mask', 'block', 'allow']
  expect(actions.toSorted(compareActions)).toEqual(['allow', 'mask', 'block'])
})
