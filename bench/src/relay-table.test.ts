import { expect, it } from 'vitest'
import { type RelayFigures, toRelayTable } from './relay-table.ts'

const BARE: readonly RelayFigures[] = [
  { chatUs: 100, eventUs: 5, startMs: 50, startCpuMs: 40, addedP50Ms: 0.25 },
  { chatUs: 110, eventUs: 5, startMs: 60, startCpuMs: 50, addedP50Ms: 0.25 },
  { chatUs: 200, eventUs: 8, startMs: 50, startCpuMs: 40, addedP50Ms: 0.5 },
]
const SVC: readonly RelayFigures[] = [
  {
    chatUs: 500,
    eventUs: 10,
    startMs: 250,
    startCpuMs: 240,
    firstChatMs: 300,
    idleMib: 98,
    usedMib: 140,
    addedP50Ms: 1,
  },
  {
    chatUs: 550,
    eventUs: 11,
    startMs: 240,
    startCpuMs: 250,
    firstChatMs: 400,
    idleMib: 97,
    usedMib: 141,
    addedP50Ms: 1,
  },
  {
    chatUs: 600,
    eventUs: 20,
    startMs: 250,
    startCpuMs: 240,
    firstChatMs: 320,
    idleMib: 99,
    usedMib: 150,
    addedP50Ms: 1,
  },
]
const FILTERED: readonly RelayFigures[] = SVC.map(({ chatUs }) => ({ chatUs }))

function readRows(table: string): ReadonlyMap<string, readonly string[]> {
  const lines = table.split('\n').map((line) => line.slice(2, -2).split(' | '))
  return new Map(lines.map(([name = '', ...cells]) => [name, cells]))
}

it('shows the median, the least and the most of each side, the ratios of each round, and the goals', () => {
  const rows = readRows(toRelayTable({ bare: BARE, svc: SVC, filtered: FILTERED, reference: SVC.map(halve) }))
  expect(rows.get('chat, CPU µs')).toEqual([
    ...['110 (100 to 200)', '550 (500 to 600)', '550 (500 to 600)', '', '5.00 (3.00 to 5.00)', '3.0'],
    ...['275 (250 to 300)', '2.00 (2.00 to 2.00)', '0.45'],
  ])
  // an event over the bare chat of the same round
  expect(rows.get('event of a stream, CPU µs (over bare: over a bare chat)')?.slice(4, 6)).toEqual([
    '0.10 (0.10 to 0.10)',
    '',
  ])
  expect(rows.get('spawn to ready, ms')?.slice(4, 6)).toEqual(['5.00 (4.00 to 5.00)', '2.5'])
  expect(rows.get('spawn to ready, CPU ms')?.slice(4, 6)).toEqual(['6.00 (5.00 to 6.00)', '3'])
  expect(rows.get('memory idle, MiB')?.slice(0, 5)).toEqual(['', '98 (97 to 99)', '', '90', ''])
  expect(rows.get('memory after 200 chats, MiB')?.slice(0, 5)).toEqual(['', '141 (140 to 150)', '', '115', ''])
  expect(rows.get('added p50, 100 requests/s, ms')?.slice(-1)).toEqual(['0.7'])
  expect(rows.get('added p90, 100 requests/s, ms')?.slice(-1)).toEqual(['0.8'])
})

it('says that no reference was measured', () => {
  const rows = readRows(toRelayTable({ bare: BARE, svc: SVC, filtered: FILTERED }))
  expect(rows.get('chat, CPU µs')?.slice(-3)).toEqual(['not measured', 'not measured', '0.45'])
  expect(rows.get('first chat after the start, ms')).toEqual([
    ...['', '320 (300 to 400)', '', '', '', ''],
    ...['not measured', 'not measured', ''],
  ])
})

it('gives no ratio of a time that noise hides', () => {
  const [first = {}, ...others] = BARE
  const rows = readRows(
    toRelayTable({ bare: [{ ...first, addedP50Ms: -0.1 }, ...others], svc: SVC, filtered: FILTERED }),
  )
  expect(rows.get('added p50, 100 requests/s, ms')?.slice(0, 5)).toEqual([
    ...['0.25 (-0.10 to 0.50)', '1.00 (1.00 to 1.00)', '', '', 'unclear'],
  ])
})

function halve(figures: RelayFigures): RelayFigures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value / 2]))
}
