import type { Exchange } from './exchange.ts'

/**
 * The request path of every inference route, written once. The order is part of the contract: the router runs before
 * access, quota and PII, because those decide on the resolved model; the body is validated only after the PII filter,
 * which works on the bytes.
 */
export const STAGE_ORDER = [
  'body',
  'resolve',
  'globalLimit',
  'router',
  'access',
  'modelLimit',
  'pii',
  'parse',
  'model',
  'reply',
] as const

export type StageName = (typeof STAGE_ORDER)[number]

/**
 * One step of the path. What it takes for those that follow it gives back in {@link Exchange.atEnd}. A step that has nothing
 * to wait for returns nothing: promises of ten stages cost more than what most of them do.
 */
export type Stage = (exchange: Exchange) => Promise<void> | undefined

/** Runs an exchange through all stages. */
export type Pipeline = (exchange: Exchange) => Promise<void>

/** A stage that does nothing yet: its seat is there from the first day. */
export const passThrough: Stage = () => undefined

/** Lays something around a stage: it sees what goes in, and what it leaves. */
export type AroundStage = (name: StageName, stage: Stage) => Stage

/** Puts the stages in their order, each with what is laid around it. */
export function createPipeline(
  stages: Readonly<Record<StageName, Stage>>,
  around: AroundStage = (_name, stage) => stage,
): Pipeline {
  const inOrder = STAGE_ORDER.map((name) => around(name, stages[name])).filter((stage) => stage !== passThrough)
  return async (exchange) => {
    let thrown: unknown
    try {
      for (const stage of inOrder) {
        const pending = stage(exchange)
        if (pending !== undefined) await pending
      }
    } catch (error) {
      thrown = error
      throw error
    } finally {
      exchange.end(thrown)
    }
  }
}
