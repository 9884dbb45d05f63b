import { setTimeout } from 'node:timers/promises'

/** Resolves after some milliseconds, or rejects with the signal. */
export async function sleep(ms: number, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  await setTimeout(ms, undefined, { signal })
}
