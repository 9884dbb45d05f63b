import { expect, it } from 'vitest'
import { showDifference } from './show-difference.ts'

it('shows changed lines with three around them', () => {
  const lines = (changed: string) => ['1', '2', '3', '4', changed, '6', '7', '8', '9', ''].join('\n')
  expect(showDifference('m.yaml', lines('five'), lines('cinq')).split('\n')).toEqual([
    '--- m.yaml',
    '+++ m.yaml',
    '@@ -2,7 +2,7 @@',
    ' 2',
    ' 3',
    ' 4',
    '-five',
    '+cinq',
    ' 6',
    ' 7',
    ' 8',
    '',
  ])
  expect(showDifference('m.yaml', lines('five'), lines('five'))).toBe('')
})

it('shows texts that differ everywhere as a whole, in bounded time', () => {
  const text = (seed: number) => Array.from({ length: 20_000 }, (_, line) => (line * seed) % 9973).join('\n')
  const difference = showDifference('m.yaml', text(7), text(11))
  expect([difference.includes('\n-7\n'), difference.includes('\n+11\n')]).toEqual([true, true])
})
