import { expect, it } from 'vitest'
import { parseArguments } from './arguments.ts'

it.each([
  [['--addr', '127.0.0.1:0'], '127.0.0.1:0'],
  [['--addr=unix:/run/a.sock'], 'unix:/run/a.sock'],
])('reads the address from %j', (argv, address) => {
  expect(parseArguments(argv)).toEqual({ kind: 'serve', address })
})

it.each([['--help'], ['-h']])('prints help on %s', (flag) => {
  expect(parseArguments([flag])).toEqual({ kind: 'help' })
})

it.each([
  [[], /--addr is missing/],
  [['--addr'], /addr/],
  [['--addr', ''], /host:port/],
  [['--addr', 'nowhere'], /host:port/],
  [['--addr', 'unix:'], /path/],
  [['--addr', 'a:1', '--model', 'x'], /--model/],
  [['a:1'], /a:1/],
])('explains the fault of %j', (argv, message) => {
  expect(parseArguments(argv)).toEqual({ kind: 'usage-error', message: expect.stringMatching(message) })
})
