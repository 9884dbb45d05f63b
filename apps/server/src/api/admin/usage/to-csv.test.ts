import { expect, it } from 'vitest'
import { toCsv } from './to-csv.ts'

it('a table has quoted cells and no formulas', () => {
  expect(
    toCsv([
      ['name', 'tokens'],
      ['a,b "c"\nd', 7],
      ['=1+1', -3],
      ['@x', 0],
    ]),
  ).toBe('name,tokens\r\n"a,b ""c""\nd",7\r\n\'=1+1,-3\r\n\'@x,0\r\n')
})
