import type { TurnDetection } from '../ports.ts'
import { judgeEnd, type SentenceEnd } from './words/judge-end.ts'

type Eagerness = Extract<TurnDetection, { readonly type: 'semantic_vad' }>['eagerness']

/** Milliseconds of silence that end a turn, by how its text ends. */
const WAITS: Readonly<Record<Eagerness, Readonly<Record<SentenceEnd, number>>>> = {
  low: { over: 1000, unclear: 2500, open: 8000 },
  medium: { over: 600, unclear: 1200, open: 4000 },
  auto: { over: 600, unclear: 1200, open: 4000 },
  high: { over: 400, unclear: 700, open: 2000 },
}

/** Whether the end of a turn depends on what was said. */
export function needsText({ type }: TurnDetection): boolean {
  return type === 'semantic_vad'
}

/**
 * Gives the silence that ends a turn, in milliseconds.
 *
 * @param text of the turn, empty where nothing was understood; undefined while nobody knows
 */
export function findNeededSilence(settings: TurnDetection, text: string | undefined): number {
  if (settings.type === 'server_vad') return settings.silenceDurationMs
  return WAITS[settings.eagerness][text === undefined ? 'open' : judgeEnd(text)]
}
