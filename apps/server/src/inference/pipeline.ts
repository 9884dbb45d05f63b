import type { Exchange } from './exchange.ts'

/**
 * The request path of every inference route, written once. The order is part of the contract: the router runs before
 * access, quota and PII, because those decide on the resolved model; the body is validated only after the PII filter,
 * which works on the bytes.
 */
export const STAGE_ORDER = [
  'body',
  'alias',
  'ceiling',
  'router',
  'access',
  'cap',
  'pii',
  'map',
  'model',
  'reply',
] as const

export type StageName = (typeof STAGE_ORDER)[number]

/** A stage wraps all that follow: what it takes before `next` it gives back after. */
export type Stage = (exchange: Exchange, next: () => Promise<void>) => Promise<void>

/** Runs an exchange through all stages. */
export type Pipeline = (exchange: Exchange) => Promise<void>

/** A stage that does nothing yet: its seat is there from the first day. */
export const passThrough: Stage = (_exchange, next) => next()

/** Lays something around a stage: it sees what goes in and what comes out. */
export type AroundStage = (name: StageName, stage: Stage) => Stage

/** Puts the stages in their order, each with what is laid around it. */
export function createPipeline(
  stages: Readonly<Record<StageName, Stage>>,
  around: AroundStage = (_name, stage) => stage,
): Pipeline {
  const inOrder = STAGE_ORDER.map((name) => around(name, stages[name])).filter((stage) => stage !== passThrough)
  return (exchange) => {
    const run = (position: number): Promise<void> =>
      inOrder[position]?.(exchange, () => run(position + 1)) ?? Promise.resolve()
    return run(0)
  }
}
