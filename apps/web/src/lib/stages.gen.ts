// Written by `pnpm gen web` from the stages of the server.

/** A stage that every inference request passes; in order. */
export type RequestStage = 'body' | 'resolve' | 'globalLimit' | 'router' | 'access' | 'modelLimit' | 'pii' | 'parse' | 'model' | 'reply'

/** The stages that the phase `admission` sums up. */
export const ADMISSION_STAGES: readonly RequestStage[] = ['body', 'resolve', 'globalLimit', 'access', 'modelLimit']

/** Phases that tell a moment or a sum. Every other phase is a stage. */
export const REQUEST_MARKS = ['admission', 'load', 'prompt', 'first_byte', 'first_token', 'total'] as const
