import { ratios, spread, toTable } from './figures.ts'

/** Figures of a side in a round. A side lacks those that are of no interest for it. */
export interface RelayFigures {
  /** Processor time of a chat that is not streamed, µs. */
  readonly chatUs?: number | undefined
  /** Processor time of an event of a stream, µs. */
  readonly eventUs?: number | undefined
  /** From spawn to readiness. */
  readonly startMs?: number | undefined
  readonly startCpuMs?: number | undefined
  /** The first chat after a start, from its request to the end of its reply. */
  readonly firstChatMs?: number | undefined
  /** Resident memory, MiB. */
  readonly idleMib?: number | undefined
  readonly usedMib?: number | undefined
  /** Time over a direct call of the backend. */
  readonly addedP50Ms?: number | undefined
  readonly addedP90Ms?: number | undefined
}

/** The rounds of each side. */
export interface RelayRounds {
  readonly bare: readonly RelayFigures[]
  readonly svc: readonly RelayFigures[]
  readonly filtered: readonly RelayFigures[]
  /** Absent where no reference server is named. */
  readonly reference?: readonly RelayFigures[] | undefined
}

interface Row {
  readonly name: string
  readonly figure: keyof RelayFigures
  /** The figure of the bare side below a ratio. @default the same figure */
  readonly bareFigure?: keyof RelayFigures
  readonly digits: number
  readonly goal?: string
  readonly goalOverBare?: string
  readonly goalOverReference?: string
}

/** Requests a second where latencies are measured. */
export const PACE = 100
/** Chats before the second look at memory. */
export const CHATS = 200

const ROWS: readonly Row[] = [
  { name: 'chat, CPU µs', figure: 'chatUs', digits: 0, goalOverBare: '3.0', goalOverReference: '0.45' },
  {
    name: 'event of a stream, CPU µs (over bare: over a bare chat)',
    figure: 'eventUs',
    bareFigure: 'chatUs',
    digits: 2,
    goalOverReference: '0.6',
  },
  { name: 'spawn to ready, ms', figure: 'startMs', digits: 0, goalOverBare: '2.5' },
  { name: 'spawn to ready, CPU ms', figure: 'startCpuMs', digits: 0, goalOverBare: '3' },
  { name: 'first chat after the start, ms', figure: 'firstChatMs', digits: 0 },
  { name: 'memory idle, MiB', figure: 'idleMib', digits: 0, goal: '90' },
  { name: `memory after ${CHATS} chats, MiB`, figure: 'usedMib', digits: 0, goal: '115' },
  { name: `added p50, ${PACE} requests/s, ms`, figure: 'addedP50Ms', digits: 2, goalOverReference: '0.7' },
  { name: `added p90, ${PACE} requests/s, ms`, figure: 'addedP90Ms', digits: 2, goalOverReference: '0.8' },
]
const HEAD = ['', 'bare', 'svc', 'svc, keys and five patterns', 'goal']
const RATIO_HEAD = ['svc over bare', 'goal', 'reference', 'svc over reference', 'goal']
const NOT_MEASURED = 'not measured'
const UNCLEAR = 'unclear'

/** The table of a run, as Markdown: each cell is a median of the rounds with the least and the most. */
export function toRelayTable(rounds: RelayRounds): string {
  return toTable(
    [...HEAD, ...RATIO_HEAD],
    ROWS.map((row) => toCells(row, rounds)),
  )
}

function toCells(row: Row, { bare, svc, filtered, reference }: RelayRounds): readonly string[] {
  const { name, figure, bareFigure = figure, digits, goal = '', goalOverBare = '', goalOverReference = '' } = row
  const own = pick(svc, figure)
  return [
    name,
    ...[bare, svc, filtered].map((side) => toCell(pick(side, figure), digits)),
    goal,
    toRatioCell(own, pick(bare, bareFigure)),
    goalOverBare,
    reference === undefined ? NOT_MEASURED : toCell(pick(reference, figure), digits),
    reference === undefined ? NOT_MEASURED : toRatioCell(own, pick(reference, figure)),
    goalOverReference,
  ]
}

function pick(rounds: readonly RelayFigures[], figure: keyof RelayFigures): readonly number[] {
  return rounds.map((round) => round[figure] ?? Number.NaN)
}

/** Empty where a round has no figure. */
function toCell(values: readonly number[], digits: number): string {
  return values.length > 0 && values.every(Number.isFinite) ? spread(values, digits) : ''
}

/** A time over a direct call may come out below zero on a busy machine; a ratio of it says nothing. */
function toRatioCell(values: readonly number[], bases: readonly number[]): string {
  return [...values, ...bases].some((value) => value <= 0) ? UNCLEAR : toCell(ratios(values, bases), 2)
}
